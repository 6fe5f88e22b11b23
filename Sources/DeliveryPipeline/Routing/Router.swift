import AMQPClient
import Contract
import PushModel
import Store
import Routing

/// The router, which selects the output and the credential for a job. A value type without clock or I/O. Its results
/// are deterministic, except for the random owners of claims.
struct Router {
    /// The first step for a job that the scheduler starts.
    enum First {
        case settle(Outcome.Verdict, reason: String)
        /// The job is delayed, because its `send_at` is in the future.
        case delay(seconds: Int)
        /// The job waits for the database to decide whether it is the first with its name.
        case claim(Claim)
        case goOn
    }

    /// The route of a job after its first step.
    enum Route {
        case split
        case send(Credential?)
        /// The job waits in the broker until its app is resumed or its credential is usable.
        case hold(seconds: Int, because: RoutingFailure)
        case settle(Outcome.Verdict, because: RoutingFailure)
    }

    let outputs: [String: RunningOutput]
    var configuration: PipelineConfiguration

    // MARK: App and output

    /// Returns the output and the environment of a job.
    ///
    /// - Throws: a rejection if the output or the app is unknown, the publisher is not allowed, or the output does not
    ///   accept the job.
    func address(
        _ job: Job, _ inbound: InboundJob, _ snapshot: Snapshot
    ) throws(JobRejection) -> (output: RunningOutput, environment: PushEnvironment) {
        guard let output = outputs[job.output] else {
            throw job.rejected("output", "is \(job.output), but must be one of: \(outputNames)")
        }
        guard let app = snapshot.app(job.app) else {
            throw job.rejected("app", "\(job.app) is not registered: add it with 'martlet app set'")
        }
        try checkPublisher(of: job, inbound, app)
        try output.jobs.check(job)
        return (output, output.plugin.environment(of: job, app: app.defaultEnvironment))
    }

    private var outputNames: String { outputs.keys.sorted().joined(separator: ", ") }

    /// Checks that the publisher may push to the app. An app may list the broker users that may push to it.
    private func checkPublisher(of job: Job, _ inbound: InboundJob, _ app: App) throws(JobRejection) {
        guard !app.allowedPublishers.isEmpty else { return }
        guard let publisher = inbound.publisher(worker: configuration.brokerUser) else {
            throw job.rejected(
                "app", "\(job.app) accepts only listed publishers, and the message has no user_id property")
        }
        guard app.allowedPublishers.contains(publisher) else {
            throw job.rejected("app", "broker user \(publisher) may not publish jobs for \(job.app)")
        }
    }

    // MARK: First step

    func first(_ job: Job, _ inbound: InboundJob, isCancelled: Bool, now: Timestamp) -> First {
        if isCancelled { return .settle(.failed, reason: Outcome.cancelled) }
        if let sendAt = job.sendAt, let delay = ScheduleDelays.next(until: sendAt, now: now) {
            return .delay(seconds: delay)
        }
        let claim = Claim(job, inbound, configuration, owner: configuration.makeID)
        return claim.map { .claim($0) } ?? .goOn
    }

    // MARK: Route

    /// Returns the route of a job.
    ///
    /// - Throws: a rejection if the credential that the job names is unknown, retired or unsuitable.
    func route(_ started: StartedJob, _ snapshot: Snapshot, now: Timestamp) throws(JobRejection) -> Route {
        let job = started.job
        if started.isToBeSplit { return .split }
        switch credential(for: started, snapshot, now) {
        case .success(let credential): return .send(credential)
        case .failure(.unsuitable(let explanation)): throw job.rejected("credential", explanation)
        case .failure(let failure):
            switch failure {
            // The app has no credential, or the app was removed while the job waited for its claim.
            case .noCredential, .unknownApp, .unsuitable: return .settle(.failed, because: failure)
            case .paused, .credentialUnusable:
                return switch configuration.retry.hold(expiration: job.expiration, now: now) {
                case .wait(let seconds): .hold(seconds: seconds, because: failure)
                case .expire: .settle(.expired, because: failure)
                case .giveUp: .settle(.failed, because: failure)
                }
            }
        }
    }

    /// Returns the credential of a job, or `nil` if its output needs none.
    private func credential(
        for started: StartedJob, _ snapshot: Snapshot, _ now: Timestamp
    ) -> Result<Credential?, RoutingFailure> {
        let (job, output) = (started.job, started.output)
        guard let credentials = output.credentials else {
            return snapshot.obstacle(to: job.app).map(Result.failure) ?? .success(nil)
        }
        return snapshot.route(
            app: job.app, with: OutputAccounts(name: output.name, accountName: credentials.accountName),
            environment: started.environment, need: credentials.need(of: job), named: job.credential, at: now
        ).map(\.credential)
    }
}

extension RoutingFailure {
    /// Whether an operator has paused the app.
    var isPause: Bool { if case .paused = self { true } else { false } }

    /// The reason with which outcomes report the failure.
    var reason: String {
        switch self {
        case .unknownApp: "UnknownApp"
        case .paused: "AppPaused"
        case .unsuitable: "UnsuitableCredential"
        case .noCredential: "NoCredential"
        case .credentialUnusable: "CredentialUnusable"
        }
    }
}
