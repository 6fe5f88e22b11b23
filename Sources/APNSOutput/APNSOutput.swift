public import Logging
public import NIOCore
public import PushModel
import Threading

/// Delivers pushes through Apple's push notification service over HTTP/2, one pool of connections for each
/// credential and environment.
public final class APNSOutput: Output {
    private struct PoolKey: Hashable {
        let credential: Credential
        let environment: PushEnvironment
        /// Broadcasts whose host is another have connections of their own.
        let isForBroadcasts: Bool
    }

    private let configuration: APNSConfiguration
    private let tokens: any SharedTokenStore
    private let eventLoops: any EventLoopGroup
    private let clock: @Sendable () -> Timestamp
    private let tokenClock: @Sendable () -> Int64
    private let refusals: @Sendable (Refusal.Event) -> Void
    private let logger: Logger
    private let lastFields = LastFields()
    private let state = Mutex(State())

    private struct State {
        var pools: [PoolKey: APNSPool] = [:]
        /// Retired, and not closed yet.
        var draining: [ObjectIdentifier: APNSPool] = [:]
        var credentials: Set<Credential.ID> = []
        /// No longer in use; a job that was routed a moment ago may still name one.
        var retired: Set<Credential.ID> = []
        /// One for both environments of a credential.
        var tokenSources: [Credential: ProviderTokenSource] = [:]
        var isStopped = false
    }

    /// - Parameter tokens: where the provider tokens of token credentials come from.
    /// - Parameter clock: wall-clock time, for deadlines and outcomes.
    /// - Parameter refusals: told when APNs begins or ceases to refuse a credential; must return soon.
    public convenience init(
        configuration: APNSConfiguration, tokens: any SharedTokenStore, eventLoops: any EventLoopGroup,
        logger: Logger, clock: @escaping @Sendable () -> Timestamp,
        refusals: @escaping @Sendable (Refusal.Event) -> Void = { _ in }
    ) {
        let start = ContinuousClock.now
        self.init(
            configuration: configuration, tokens: tokens, eventLoops: eventLoops, logger: logger, clock: clock,
            tokenClock: { Int64((ContinuousClock.now - start) / .milliseconds(1)) }, refusals: refusals)
    }

    /// - Parameter tokenClock: milliseconds, for the age and use of provider tokens. Not the wall clock: one that
    ///   is set must not make a connection change its token early.
    package init(
        configuration: APNSConfiguration, tokens: any SharedTokenStore, eventLoops: any EventLoopGroup,
        logger: Logger, clock: @escaping @Sendable () -> Timestamp, tokenClock: @escaping @Sendable () -> Int64,
        refusals: @escaping @Sendable (Refusal.Event) -> Void = { _ in }
    ) {
        self.refusals = refusals
        self.configuration = configuration
        self.tokens = tokens
        self.tokenClock = tokenClock
        self.eventLoops = eventLoops
        self.clock = clock
        self.logger = logger
    }

    public func send(_ job: RoutedJob, reportingTo sink: any OutcomeSink) {
        // An expired job needs no connection to be told so.
        if job.job.isExpired(at: clock()) { return settleAll(job, .expired, reason: nil, sink) }
        do {
            let prepared = try PreparedJob(job, sink: sink, sharing: lastFields)
            try pool(for: job).send(prepared)
        } catch let fault as APNSRequest.Fault {
            settleAll(job, .rejected, reason: fault.reason, sink)
        } catch APNSOutputError.stopped, APNSOutputError.retired {
            settleAll(job, .returned, reason: nil, sink)
        } catch {
            logger.error("The credential can't be used", metadata: ["app": "\(job.job.app)", "error": "\(error)"])
            settleAll(job, .failed, reason: "CredentialUnusable", sink)
        }
    }

    public func credentialsChanged(to credentials: Set<Credential.ID>) {
        let gone = state.withLock { state in
            // A credential that is not known yet is of a snapshot to come, and not retired.
            state.retired = state.retired.union(state.credentials).subtracting(credentials)
            state.credentials = credentials
            let gone = state.pools.filter { state.retired.contains($0.key.credential.id) }
            for (key, pool) in gone {
                state.pools[key] = nil
                state.draining[ObjectIdentifier(pool)] = pool
            }
            state.tokenSources = state.tokenSources.filter { !state.retired.contains($0.key.id) }
            return gone.values
        }
        for pool in gone {
            pool.retire(returningAfter: .seconds(configuration.retirementSeconds)).whenComplete { [self] _ in
                _ = state.withLock { $0.draining.removeValue(forKey: ObjectIdentifier(pool)) }
            }
        }
    }

    public func cancel(_ isCancelled: @escaping @Sendable (_ job: String) -> Bool) {
        let pools = state.withLock { Array($0.pools.values) + Array($0.draining.values) }
        for pool in pools { pool.cancel(isCancelled) }
    }

    public func stopSending() {
        let pools = state.withLock { state in
            state.isStopped = true
            return Array(state.pools.values) + Array(state.draining.values)
        }
        for pool in pools { pool.stopSending() }
    }

    public func shutDown() async {
        let all = state.withLock { state in
            state.isStopped = true
            defer { (state.pools, state.tokenSources) = ([:], [:]) }
            return Array(state.pools.values) + Array(state.draining.values)
        }
        for closed in all.map({ $0.retire() }) { try? await closed.get() }
    }

    private func pool(for job: RoutedJob) throws -> APNSPool {
        guard let credential = job.credential else { throw APNSOutputError.noCredential }
        return try state.withLock { state in
            guard !state.isStopped else { throw APNSOutputError.stopped }
            guard !state.retired.contains(credential.id) else { throw APNSOutputError.retired }
            let broadcastEndpoint = job.job.isBroadcast ? configuration.broadcastEndpoint(for: job.environment) : nil
            let key = PoolKey(
                credential: credential, environment: job.environment, isForBroadcasts: broadcastEndpoint != nil)
            if let pool = state.pools[key] { return pool }
            let pool = try APNSPool(
                credential: credential, environment: job.environment,
                endpoint: broadcastEndpoint ?? configuration.endpoint(for: job.environment),
                tokens: try tokenSource(for: credential, among: &state.tokenSources), eventLoop: eventLoops.next(),
                configuration: configuration, clock: clock, refusals: refusals, logger: logger)
            state.pools[key] = pool
            return pool
        }
    }

    private func tokenSource(
        for credential: Credential, among sources: inout [Credential: ProviderTokenSource]
    ) throws -> ProviderTokenSource? {
        guard case .token(let keyID, let privateKeyPEM) = credential.kind else { return nil }
        if let source = sources[credential] { return source }
        var logger = logger
        logger[metadataKey: "credential"] = "\(credential.id)"
        let source = ProviderTokenSource(
            credential: credential.id,
            signer: try ProviderTokenSigner(privateKeyPEM: privateKeyPEM, keyID: keyID, team: credential.account),
            store: tokens, patience: configuration.tokenPatienceMilliseconds, clock: tokenClock, logger: logger)
        sources[credential] = source
        return source
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

/// Why a job can't be sent at all.
enum APNSOutputError: Error, CustomStringConvertible {
    case noCredential
    case stopped
    case retired
    case verificationRequired(host: String)

    var description: String {
        switch self {
        case .noCredential: "the job was routed without a credential"
        case .stopped: "the output sends nothing any more"
        case .retired: "the credential is retired"
        case .verificationRequired(let host): "the certificate of \(host) must be verified"
        }
    }
}
