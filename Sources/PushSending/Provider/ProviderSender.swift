internal import Foundations
internal import HTTP2Pool
internal import Logging
internal import NIOCore
internal import NIOPosix
public import PushModel

/// The output that sends one HTTP request for each recipient to a ``PushProvider``. Each credential has its own queue
/// and pool of connections for each environment. HTTP/1.1 is used if the server does not support HTTP/2.
public final class ProviderSender: Output {
    /// The key of a pool. `credential` is `nil` if the output has no credentials.
    private struct PoolKey: Hashable {
        let credential: Credential?
        let environment: PushEnvironment
    }

    private let provider: any PushProvider
    private let name: String
    private let context: OutputContext
    private let configuration: ProviderConfiguration
    private let pools: PushPools<PoolKey, ProviderJob>
    private let unusable: UnusableCredentials

    /// The connection settings, which a plugin adds to its own settings: `ca_file`, `proxy`, `maximum_connections` and
    /// `request_timeout`.
    public static var settings: [OutputSetting] { ProviderConfiguration.settings }

    /// Checks the values of ``settings``, for `OutputPlugin.check(_:)`.
    ///
    /// - Throws: `SettingFault` if a setting is invalid.
    public static func check(_ settings: OutputSettings) throws { _ = try ProviderConfiguration(settings) }

    /// Creates an output without connections.
    ///
    /// - Parameter name: The plugin's name.
    /// - Throws: `SettingFault` if one of ``settings`` is invalid.
    public convenience init(_ provider: any PushProvider, name: String, _ context: OutputContext) throws {
        try self.init(provider, name: name, context) { _ in }
    }

    /// Creates an output. `change` modifies the configuration that was read from the settings.
    package init(
        _ provider: any PushProvider, name: String, _ context: OutputContext,
        _ change: (inout ProviderConfiguration) -> Void
    ) throws {
        self.provider = provider
        self.name = name
        self.context = context
        var configuration = try ProviderConfiguration(context.settings)
        change(&configuration)
        self.configuration = configuration
        pools = PushPools(retirement: .seconds(configuration.retirementSeconds))
        unusable = UnusableCredentials(refusals: context.refusals, logger: context.logger)
    }

    public func send(_ job: RoutedJob, reportingTo sink: any OutcomeSink) {
        let now = context.clock()
        if job.job.isExpired(at: now) { return sink.reportAll(of: job, .expired, reason: nil, at: now) }
        let prepared: ProviderJob
        do throws(PushFault) {
            prepared = ProviderJob(job, sink: sink, request: try provider.requestBuilder(for: job))
        } catch {
            return sink.reportAll(of: job, .rejected, reason: error.reason, detail: error.detail, at: now)
        }
        do {
            try pool(for: job).send(prepared)
        } catch is PushPoolRefusal {
            sink.reportAll(of: job, .returned, reason: nil, at: now)
        } catch {
            unusable.hold(job, because: error, sink, at: now)
        }
    }

    public func credentialsChanged(to credentials: Set<Credential.ID>) {
        unusable.ended(pools.credentialsChanged(to: credentials))
    }

    public func cancel(_ isCancelled: @escaping @Sendable (_ job: String) -> Bool) { pools.cancel(isCancelled) }

    public func stopSending() { pools.stopSending() }

    public func shutDown() async { await pools.shutDown() }

    // MARK: Pools

    private func pool(for job: RoutedJob) throws -> PushPool<ProviderJob> {
        let key = PoolKey(credential: job.credential, environment: job.environment)
        return try pools.pool(key, of: job.credential?.id ?? "") { try makePool(for: key) }
    }

    private func makePool(for key: PoolKey) throws -> PushPool<ProviderJob> {
        let server = try provider.server(for: key.credential, in: key.environment)
        let id = key.credential?.id ?? ""
        var logger = context.logger
        // A reported refusal must name a credential.
        var refusals: @Sendable (Refusal.Event) -> Void = { _ in }
        if let credential = key.credential {
            refusals = context.refusals
            logger[metadataKey: "credential"] = "\(credential.id)"
            logger[metadataKey: "account"] = "\(credential.account)"
        }
        let dispatcher = CredentialDispatcher(
            health: PoolHealth(
                of: Refusal.Subject(credential: id, environment: key.environment, topic: nil), service: name,
                breakMilliseconds: configuration.breakMilliseconds,
                // The silence must exceed the request timeout.
                silenceMilliseconds: Int64(configuration.requestTimeoutSeconds + 10) * 1_000,
                refusals: refusals, logger: logger),
            clock: context.clock)
        let pushes = ProviderPushes(provider, dispatcher, service: name, logger: logger)
        let fields = try PushRequest.fields(of: server, authority: server.endpoint.authority)
        var pool = configuration.pool(to: server.endpoint, service: name)
        pool.labels = PoolLabels(
            context.metrics, output: name, credential: id, environment: key.environment.rawValue)
        let connections = try ConnectionPool(
            pool, client: pushes, eventLoop: MultiThreadedEventLoopGroup.singleton.next(), logger: logger
        ) { FixedAuthorization(fields) }
        if let credential = key.credential { unusable.ended([credential.id]) }
        return PushPool(connections, dispatcher)
    }
}
