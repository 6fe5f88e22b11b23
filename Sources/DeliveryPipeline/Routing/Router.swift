import AMQPClient
import CredentialStore
import Foundation
import PushModel

/// Finds out where a job goes. A value: no clock, no I/O; only claims get a name that is made up.
struct Router {
    /// What is to be done with a job whose turn has come, before any of it is sent.
    enum First {
        case settle(Outcome.Verdict, reason: String)
        /// Its time has not come.
        case delay(seconds: Int)
        /// The database is to say whether it is the first of its name.
        case claim(Claim)
        case goOn
    }

    /// Where a job goes that may be sent.
    enum Route {
        case split
        case send(PushEnvironment, Credential?)
        /// It waits in the broker until its app is resumed or its credential mended.
        case hold(seconds: Int, because: RoutingFailure)
        case settle(Outcome.Verdict, because: RoutingFailure)
    }

    let outputs: [String: any Output]
    var configuration: PipelineConfiguration

    // MARK: Whose it is

    /// - Throws: what can't be changed about it.
    func address(
        _ job: Job, _ inbound: InboundJob, _ snapshot: Snapshot
    ) throws(JobRejection) -> (output: any Output, environment: PushEnvironment) {
        guard let output = outputs[job.output] else {
            throw job.rejected("output", "is \(job.output), but there is only: \(outputNames)")
        }
        let app = snapshot.app(job.app)
        if output.needsCredential {
            guard let app else {
                throw job.rejected("app", "\(job.app) is not registered: see 'martlet app set'")
            }
            try checkPublisher(of: job, inbound, app)
        }
        return (output, job.environment ?? app?.defaultEnvironment ?? .production)
    }

    private var outputNames: String { outputs.keys.sorted().joined(separator: ", ") }

    /// An app may name the broker users who may push to it.
    private func checkPublisher(of job: Job, _ inbound: InboundJob, _ app: App) throws(JobRejection) {
        guard !app.allowedPublishers.isEmpty else { return }
        guard let publisher = inbound.publisher(worker: configuration.brokerUser) else {
            throw job.rejected("app", "\(job.app) has a list of publishers, and the message has no user_id property")
        }
        guard app.allowedPublishers.contains(publisher) else {
            throw job.rejected("app", "\(job.app) may not be pushed to by broker user \(publisher)")
        }
    }

    // MARK: What comes first

    func first(_ job: Job, _ inbound: InboundJob, isCancelled: Bool, now: Timestamp) -> First {
        if isCancelled { return .settle(.failed, reason: Outcome.cancelled) }
        if let sendAt = job.sendAt, let delay = ScheduleLadder.next(until: sendAt, now: now) {
            return .delay(seconds: delay)
        }
        let claim = Claim(job, inbound, configuration, owner: { UUID().uuidString.lowercased() })
        return claim.map { .claim($0) } ?? .goOn
    }

    // MARK: Where it goes

    /// - Throws: why the credential that it names can't be used.
    func route(_ started: StartedJob, _ snapshot: Snapshot, now: Timestamp) throws(JobRejection) -> Route {
        let (job, output) = (started.job, started.output)
        if configuration.isToBeSplit(job, started.inbound) { return .split }
        guard output.needsCredential else { return .send(.production, nil) }
        let found = snapshot.route(
            app: job.app, environment: job.environment, topic: output.topic(for: job),
            needsToken: output.needsToken(for: job), named: job.credential, at: now)
        switch found {
        case .success(let route): return .send(route.environment, route.credential)
        case .failure(.unsuitable(let explanation)): throw job.rejected("credential", explanation)
        case .failure(let failure):
            switch failure {
            // Removed while it was looked at.
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
}

extension RoutingFailure {
    /// What an outcome gives as its reason.
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

extension PipelineConfiguration {
    func isToBeSplit(_ job: Job, _ inbound: InboundJob) -> Bool {
        !inbound.isChunk && job.recipients.count > chunkSize(of: job, inbound)
    }
}
