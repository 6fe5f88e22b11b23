import HTTP2Pool
package import Logging
import Metering
package import NIOCore
package import PushModel
import PushSending
import Foundations

/// The output that delivers messages through Firebase Cloud Messaging over HTTP/2. Each credential has one connection
/// pool.
package final class FCMSender: Output {
    private let configuration: FCMConfiguration
    private let quotas: any QuotaShares
    private let eventLoops: any EventLoopGroup
    private let clock: @Sendable () -> Timestamp
    private let refusals: @Sendable (Refusal.Event) -> Void
    private let logger: Logger
    private let pools: PushPools<Credential, PreparedMessage>
    private let unusable: UnusableCredentials
    private let projects = Mutex<[String: ProjectQuota]>([:])

    /// Creates an output without connections.
    ///
    /// - Parameters:
    ///   - quotas: the source for the number of workers that share a project's quota.
    ///   - clock: the wall clock, for deadlines and outcomes.
    ///   - refusals: a closure that is called when FCM begins or stops refusing a credential, and with the counts of
    ///     bad tokens. It must return quickly.
    package init(
        configuration: FCMConfiguration, quotas: any QuotaShares = UndividedQuotas(), eventLoops: any EventLoopGroup,
        logger: Logger, clock: @escaping @Sendable () -> Timestamp,
        refusals: @escaping @Sendable (Refusal.Event) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.quotas = quotas
        self.eventLoops = eventLoops
        self.clock = clock
        self.refusals = refusals
        self.logger = logger
        pools = PushPools(retirement: .seconds(configuration.retirementSeconds))
        unusable = UnusableCredentials(refusals: refusals, logger: logger)
    }

    package func send(_ job: RoutedJob, reportingTo sink: any OutcomeSink) {
        let now = clock()
        if job.job.isExpired(at: now) { return sink.reportAll(of: job, .expired, reason: nil, at: now) }
        do {
            let prepared = try PreparedMessage(job, sink: sink, now: now)
            try pool(for: job).send(prepared)
        } catch let fault as FCMFault {
            sink.reportAll(of: job, .rejected, reason: fault.reason, detail: fault.detail, at: now)
        } catch is PushPoolRefusal {
            sink.reportAll(of: job, .returned, reason: nil, at: now)
        } catch {
            unusable.hold(job, because: error, sink, at: now)
        }
    }

    package func credentialsChanged(to credentials: Set<Credential.ID>) {
        unusable.ended(pools.credentialsChanged(to: credentials))
    }

    package func cancel(_ isCancelled: @escaping @Sendable (_ job: String) -> Bool) { pools.cancel(isCancelled) }

    package func stopSending() { pools.stopSending() }

    package func shutDown() async { await pools.shutDown() }

    private func pool(for job: RoutedJob) throws -> PushPool<PreparedMessage> {
        guard let credential = job.credential else { throw ServiceAccount.Fault(description: "there is no credential") }
        return try pools.pool(credential, of: credential.id) { try makePool(for: credential) }
    }

    /// Returns the quota of a project. All credentials of the project share it.
    private func projectQuota(_ project: String) -> ProjectQuota {
        projects.withLock { projects in
            if let known = projects[project] { return known }
            let new = ProjectQuota(of: project, perMinute: configuration.quotaPerMinute, shares: quotas)
            projects[project] = new
            return new
        }
    }

    private func makePool(for credential: Credential) throws -> PushPool<PreparedMessage> {
        let account = try ServiceAccount(of: credential)
        let eventLoop = eventLoops.next()
        let subject = Refusal.Subject(credential: credential.id, environment: .production, topic: nil)
        var logger = logger
        logger[metadataKey: "credential"] = "\(credential.id)"
        logger[metadataKey: "project"] = "\(credential.account)"
        let dispatcher = CredentialDispatcher(
            health: PoolHealth(
                of: subject, service: "FCM", breakMilliseconds: configuration.breakMilliseconds,
                silenceMilliseconds: configuration.silenceMilliseconds, refusals: refusals, logger: logger),
            badTokens: BadTokenCounter(
                of: subject, mixUp: ("SENDER_ID_MISMATCH", "are they of another project?"), refusals: refusals,
                logger: logger),
            leastWait: FCMRefusal.leastWait, clock: clock)
        let labels = ["fcm", credential.id, PushEnvironment.production.rawValue]
        let tokens = AccessTokenSource(
            try AccessTokenRequest(account, configuration), refusedMilliseconds: configuration.breakMilliseconds,
            eventLoop: eventLoop, clock: clock,
            meter: configuration.metrics.map { AccessTokenMeter($0, labels, of: eventLoop) }, logger: logger)
        let pushes = try FCMPushes(
            dispatcher, tokens: tokens,
            quota: projectQuota(credential.account), project: credential.account, logger: logger)
        let authority = configuration.endpoint.authority
        var pool = configuration.pool()
        pool.labels = configuration.metrics.map {
            PoolLabels(
                $0, output: "fcm", credential: credential.id, environment: PushEnvironment.production.rawValue)
        }
        let connections = try ConnectionPool(
            pool, client: pushes, eventLoop: eventLoop, logger: logger
        ) { BearerAuthorization(from: tokens, authority: authority) }
        // Weak references avoid cycles, because the pool holds `tokens` and `pushes`.
        tokens.changed = { [weak connections] in connections?.scheduleTurn() }
        tokens.accountRefused = { [weak dispatcher] refusal, now in
            guard let dispatcher else { return }
            dispatcher.refuseCredential(reason: refusal.error, at: dispatcher.moment(now))
        }
        pushes.wake = { [weak connections] in connections?.scheduleTurn(inMilliseconds: $0) }
        unusable.ended([credential.id])
        return PushPool(connections, dispatcher) { tokens.count(now: 0, isLast: true) }
    }
}
