public import Logging
public import NIOCore
public import PushModel
import Synchronization

/// Delivers pushes through Apple's push notification service over HTTP/2, one pool of connections for each
/// credential and environment.
public final class APNSOutput: Output {
    private struct PoolKey: Hashable {
        let credential: Credential
        let environment: PushEnvironment
        /// Broadcasts whose host is another have connections of their own.
        let isForBroadcasts: Bool
    }

    public let name = "apns"
    public let needsCredential = true

    private let configuration: APNSConfiguration
    private let eventLoops: any EventLoopGroup
    private let clock: @Sendable () -> Timestamp
    private let logger: Logger
    private let state = Mutex(State())

    private struct State {
        var pools: [PoolKey: APNSPool] = [:]
        var isShutDown = false
    }

    /// - Parameter clock: wall-clock time, for deadlines, provider tokens and outcomes.
    public init(
        configuration: APNSConfiguration, eventLoops: any EventLoopGroup, logger: Logger,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.configuration = configuration
        self.eventLoops = eventLoops
        self.clock = clock
        self.logger = logger
    }

    /// The suffix follows from the push type; types that are inferred from the payload have none. Broadcasts go to
    /// the app itself.
    public func topic(for job: Job) -> String {
        if job.isBroadcast { return job.app }
        return job.topic ?? job.app + (job.pushType.flatMap(APNSPushType.init(rawValue:))?.topicSuffix ?? "")
    }

    public func send(_ job: RoutedJob, reportingTo sink: any OutcomeSink) {
        // What has expired needs no connection to be told so.
        if job.job.isExpired(at: clock()) { return settleAll(job, .expired, reason: nil, sink) }
        do {
            let prepared = try PreparedJob(job, sink: sink)
            try pool(for: job).send(prepared)
        } catch let fault as APNSRequest.Fault {
            settleAll(job, .rejected, reason: fault.reason, sink)
        } catch APNSOutputError.shutDown {
            settleAll(job, .retry, reason: "ShuttingDown", sink)
        } catch {
            logger.error("The credential can't be used", metadata: ["app": "\(job.job.app)", "error": "\(error)"])
            settleAll(job, .failed, reason: "CredentialUnusable", sink)
        }
    }

    public func credentialsChanged(to credentials: Set<Credential.ID>) {
        let gone = state.withLock { state in
            let gone = state.pools.filter { !credentials.contains($0.key.credential.id) }
            for key in gone.keys { state.pools[key] = nil }
            return gone.values
        }
        for pool in gone { _ = pool.retire() }
    }

    public func shutDown() async {
        let all = state.withLock { state in
            state.isShutDown = true
            defer { state.pools = [:] }
            return Array(state.pools.values)
        }
        for closed in all.map({ $0.retire() }) { try? await closed.get() }
    }

    private func pool(for job: RoutedJob) throws -> APNSPool {
        guard let credential = job.credential else { throw APNSOutputError.noCredential }
        return try state.withLock { state in
            guard !state.isShutDown else { throw APNSOutputError.shutDown }
            let broadcastEndpoint = job.job.isBroadcast ? configuration.broadcastEndpoint(for: job.environment) : nil
            let key = PoolKey(
                credential: credential, environment: job.environment, isForBroadcasts: broadcastEndpoint != nil)
            if let pool = state.pools[key] { return pool }
            let pool = try APNSPool(
                credential: credential, environment: job.environment,
                endpoint: broadcastEndpoint ?? configuration.endpoint(for: job.environment),
                eventLoop: eventLoops.next(), configuration: configuration, clock: clock, logger: logger)
            state.pools[key] = pool
            return pool
        }
    }

    private func settleAll(
        _ job: RoutedJob, _ verdict: Outcome.Verdict, reason: String?, _ sink: any OutcomeSink
    ) {
        let now = clock()
        sink.report(
            job.job.recipients.indices.map {
                Outcome(job: job, recipient: $0, verdict: verdict, reason: reason, at: now)
            })
    }
}

/// Faults of the pipeline's own making.
enum APNSOutputError: Error, CustomStringConvertible {
    case noCredential
    case shutDown

    var description: String {
        switch self {
        case .noCredential: "the job was routed without a credential"
        case .shutDown: "the output is shut down"
        }
    }
}
