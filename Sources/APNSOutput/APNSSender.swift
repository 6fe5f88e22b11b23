import Foundations
import HTTP2Pool
import HTTP2Session
package import Logging
package import NIOCore
package import PushModel
import PushSending

/// The output that delivers pushes through Apple's push notification service over HTTP/2. Each credential has one
/// connection pool for each environment. If broadcasts go to a separate host, they have their own pool.
package final class APNSSender: Output {
    private struct PoolKey: Hashable {
        let credential: Credential
        let environment: PushEnvironment
        /// Whether the pool is for broadcasts to a separate host.
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
    private let pools: PushPools<PoolKey, PreparedJob>
    private let unusable: UnusableCredentials
    /// The provider token sources of the credentials. Both environments of a credential share one source.
    private let tokenSources = Mutex<[Credential: ProviderTokenSource]>([:])

    /// Creates the output.
    ///
    /// - Parameters:
    ///   - tokens: the store that supplies the provider tokens of token credentials.
    ///   - clock: the wall clock, for deadlines and outcomes.
    ///   - refusals: a closure that is called when APNs begins or stops refusing a credential or topic, and with the
    ///     counts of bad tokens. It must return quickly.
    package convenience init(
        configuration: APNSConfiguration, tokens: any SharedTokenStore, eventLoops: any EventLoopGroup,
        logger: Logger, clock: @escaping @Sendable () -> Timestamp,
        refusals: @escaping @Sendable (Refusal.Event) -> Void = { _ in }
    ) {
        let start = ContinuousClock.now
        self.init(
            configuration: configuration, tokens: tokens, eventLoops: eventLoops, logger: logger, clock: clock,
            tokenClock: { Int64((ContinuousClock.now - start) / .milliseconds(1)) }, refusals: refusals)
    }

    /// Creates the output with a clock for provider tokens.
    ///
    /// - Parameter tokenClock: a clock in milliseconds for the age and use of provider tokens. It is not the wall
    ///   clock, because setting the wall clock must not make a connection change its token early.
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
        pools = PushPools(retirement: .seconds(configuration.retirementSeconds))
        unusable = UnusableCredentials(refusals: refusals, logger: logger)
    }

    package func send(_ job: RoutedJob, reportingTo sink: any OutcomeSink) {
        let now = clock()
        // Reporting an expired job requires no connection.
        if job.job.isExpired(at: now) { return sink.reportAll(of: job, .expired, reason: nil, at: now) }
        do {
            let prepared = try PreparedJob(job, sink: sink, sharing: lastFields)
            try pool(for: job).send(prepared)
        } catch let fault as APNSRequest.Fault {
            sink.reportAll(of: job, .rejected, reason: fault.reason, detail: fault.detail, at: now)
        } catch is PushPoolRefusal {
            sink.reportAll(of: job, .returned, reason: nil, at: now)
        } catch {
            unusable.hold(job, because: error, sink, at: now)
        }
    }

    package func credentialsChanged(to credentials: Set<Credential.ID>) {
        let retired = pools.credentialsChanged(to: credentials)
        unusable.ended(retired)
        tokenSources.withLock { $0 = $0.filter { !retired.contains($0.key.id) } }
    }

    package func cancel(_ isCancelled: @escaping @Sendable (_ job: String) -> Bool) { pools.cancel(isCancelled) }

    package func stopSending() { pools.stopSending() }

    package func shutDown() async {
        await pools.shutDown()
        tokenSources.withLock { $0 = [:] }
    }

    private func pool(for job: RoutedJob) throws -> PushPool<PreparedJob> {
        guard let credential = job.credential else { throw APNSOutputError.noCredential }
        let broadcastEndpoint = job.job.isBroadcast ? configuration.broadcastEndpoint(for: job.environment) : nil
        let key = PoolKey(
            credential: credential, environment: job.environment, isForBroadcasts: broadcastEndpoint != nil)
        return try pools.pool(key, of: credential.id) {
            try makePool(
                for: credential, in: job.environment,
                to: broadcastEndpoint ?? configuration.endpoint(for: job.environment))
        }
    }

    private func makePool(
        for credential: Credential, in environment: PushEnvironment, to endpoint: Endpoint
    ) throws -> PushPool<PreparedJob> {
        let tokens = try tokenSource(for: credential)
        let subject = Refusal.Subject(credential: credential.id, environment: environment, topic: nil)
        var logger = logger
        logger[metadataKey: "credential"] = "\(credential.id)"
        logger[metadataKey: "team"] = "\(credential.account)"
        logger[metadataKey: "environment"] = "\(environment.rawValue)"
        let dispatcher = CredentialDispatcher(
            health: PoolHealth(
                of: subject, service: "APNs", breakMilliseconds: configuration.breakMilliseconds,
                silenceMilliseconds: configuration.silenceMilliseconds, refusals: refusals, logger: logger),
            badTokens: BadTokenCounter(
                of: subject, mixUp: (BadToken.badDeviceToken.rawValue, "are they of the other environment?"),
                refusals: refusals, logger: logger), clock: clock)
        let authority = endpoint.authority
        let fixed = try HTTP2Fields.apns(authority: authority)
        var pool = try configuration.pool(to: endpoint, with: credential)
        pool.labels = configuration.metrics.map {
            PoolLabels($0, output: "apns", credential: credential.id, environment: environment.rawValue)
        }
        let connections = try ConnectionPool(
            pool, client: APNSPushes(dispatcher, tokens: tokens),
            eventLoop: eventLoops.next(), logger: logger
        ) {
            guard let tokens else { return FixedAuthorization(fixed) }
            return ProviderTokenAuthorization(from: tokens, authority: authority)
        }
        let id = ObjectIdentifier(dispatcher)
        let pushes = PushPool<PreparedJob>(connections, dispatcher) { tokens?.removeObserver(id) }
        tokens?.addObserver(id) { [weak pushes] in pushes?.wake() }
        unusable.ended([credential.id])
        return pushes
    }

    private func tokenSource(for credential: Credential) throws -> ProviderTokenSource? {
        guard case .token(let keyID, let privateKeyPEM) = credential.kind else { return nil }
        return try tokenSources.withLock { sources in
            if let source = sources[credential] { return source }
            var logger = logger
            logger[metadataKey: "credential"] = "\(credential.id)"
            let source = ProviderTokenSource(
                credential: credential.id,
                signer: try ProviderTokenSigner(
                    privateKeyPEM: privateKeyPEM, keyID: keyID, team: credential.account),
                store: tokens, patience: configuration.tokenPatienceMilliseconds,
                metrics: configuration.metrics, clock: tokenClock, logger: logger)
            sources[credential] = source
            return source
        }
    }
}

/// The reason why a job cannot be sent at all.
enum APNSOutputError: Error, CustomStringConvertible {
    case noCredential
    case verificationRequired(host: String)

    var description: String {
        switch self {
        case .noCredential: "the job was routed without a credential"
        case .verificationRequired(let host): "the certificate of \(host) must be verified"
        }
    }
}
