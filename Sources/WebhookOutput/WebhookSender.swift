import HTTP2Pool
import HTTP2Session
import Logging
package import NIOCore
package import PushModel
import PushSending

/// The output that delivers pushes in signed batches to the URL of a credential. The answers report the outcome of each
/// recipient. Each credential has its own pool of connections.
package final class WebhookSender: Output {
    private let name: String
    private let configuration: WebhookConfiguration
    private let eventLoops: any EventLoopGroup
    private let clock: @Sendable () -> Timestamp
    private let refusals: @Sendable (Refusal.Event) -> Void
    private let logger: Logger
    private let pools: PushPools<Credential, WebhookJob>
    /// The credentials that were reported as unusable because no connection pool can be created for them.
    private let unusable: UnusableCredentials

    private struct NoSecret: Error, CustomStringConvertible {
        let description = "the job was routed without a URL and its secrets"
    }

    /// Creates an output that has no connections yet.
    ///
    /// - Parameter name: the name of the plugin.
    package init(
        name: String, configuration: WebhookConfiguration, eventLoops: any EventLoopGroup, context: OutputContext
    ) {
        self.name = name
        self.configuration = configuration
        self.eventLoops = eventLoops
        clock = context.clock
        refusals = context.refusals
        logger = context.logger
        pools = PushPools(retirement: .seconds(configuration.retirementSeconds))
        unusable = UnusableCredentials(refusals: refusals, logger: logger)
    }

    package func send(_ job: RoutedJob, reportingTo sink: any OutcomeSink) {
        let now = clock()
        if job.job.isExpired(at: now) { return sink.reportAll(of: job, .expired, reason: nil, at: now) }
        do {
            try pool(for: job).send(WebhookJob(job, sink: sink, output: name))
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

    private func pool(for job: RoutedJob) throws -> PushPool<WebhookJob> {
        guard let credential = job.credential, case .secret(let json) = credential.kind else { throw NoSecret() }
        return try pools.pool(credential, of: credential.id) {
            try makePool(for: credential, to: try WebhookTarget(json: json))
        }
    }

    // MARK: Pools

    private func makePool(for credential: Credential, to target: WebhookTarget) throws -> PushPool<WebhookJob> {
        let subject = Refusal.Subject(credential: credential.id, environment: .production, topic: nil)
        var logger = logger
        logger[metadataKey: "credential"] = "\(credential.id)"
        logger[metadataKey: "account"] = "\(credential.account)"
        let dispatcher = CredentialDispatcher(
            health: PoolHealth(
                of: subject, service: "The webhook", breakMilliseconds: configuration.breakMilliseconds,
                // The silence must exceed the request timeout.
                silenceMilliseconds: Int64(configuration.requestTimeoutSeconds + 10) * 1000, refusals: refusals,
                logger: logger),
            badTokens: BadTokenCounter(
                of: subject, mixUp: (WebhookReason.rejected, "does the receiver have them?"), refusals: refusals,
                logger: logger), clock: clock)
        let batches = WebhookBatches(
            dispatcher, path: target.url.path, signature: BatchSignature(target.secrets),
            concurrency: BatchConcurrency(
                maximumBatches: configuration.maximumBatches, maximumRecipients: configuration.maximumRecipients))
        let fields = try HTTP2Fields.webhook(target.url)
        var pool = try configuration.pool(to: target.url)
        pool.labels = configuration.metrics.map {
            PoolLabels($0, output: name, credential: credential.id, environment: PushEnvironment.production.rawValue)
        }
        let connections = try ConnectionPool(
            pool, client: batches, eventLoop: eventLoops.next(), logger: logger
        ) { FixedAuthorization(fields) }
        unusable.ended([credential.id])
        return PushPool(connections, dispatcher)
    }
}
