import AMQPClient
import APNSOutput
import CredentialStore
import DeliveryPipeline
public import Logging
import NIOCore
import NIOPosix
import PostgresClient
import PushModel
import ServiceLifecycle
import UnixSignals

/// A worker put together from its configuration: the one place that names the outputs.
public struct Worker: Sendable {
    private let pipeline: DeliveryPipeline
    private let services: [any Service]
    private let drainTimeout: Duration
    private let logger: Logger

    /// Reads the configuration, waits for the database, and loads apps and credentials.
    ///
    /// - Parameters:
    ///   - level: that of `logger`.
    ///   - reload: reads the configuration again.
    /// - Throws: ``ConfigurationError``; ``CredentialStoreError`` when migrations are missing. A database that
    ///   can't be reached is waited for.
    public init(
        configuration: ConfigurationSource, logger: Logger, level: LogLevel,
        reload: @escaping @Sendable () async throws -> ConfigurationSource
    ) async throws {
        // First of all: until then a hang-up would end the process.
        let hangUps = await UnixSignalsSequence(trapping: .sighup)
        let broker = try configuration.broker()
        let pipelineConfiguration = try configuration.pipeline()
        let database = try configuration.database(applicationName: "martlet \(pipelineConfiguration.worker)")
        let keyring = try configuration.keyring()
        let apns = try configuration.apns()
        let suppression = try configuration.deadTokens()
        let drainSeconds = try configuration.integer(.workerDrainTimeout, in: 0...86_400)
        let listen =
            configuration.string(.httpListen).flatMap { $0.isEmpty ? nil : $0 } == nil
            ? nil : try configuration.hostAndPort(.httpListen)

        let pool = PostgresPool(database, logger: logger)
        // What operators change is read over connections of its own: statements that wait for a lock don't keep it.
        var few = PostgresPool.Options()
        few.maximumConnections = 2
        let operators = PostgresPool(database, options: few, logger: logger)
        let changes = ChangeListener(database, logger: logger)
        let (snapshots, cancellations) = try await Self.whenDatabaseIsThere(logger) {
            try await Migrations(database, logger: logger).verify()
            return (
                try await SnapshotStore.load(
                    from: operators, keyring: keyring, patience: ReadingPatience(first: ReadingPatience.longest),
                    logger: logger),
                try await CancellationFeed.load(from: operators, changes: changes, logger: logger)
            )
        }
        let eventLoops = MultiThreadedEventLoopGroup.singleton
        let board = RefusalBoard()
        let outputs: [any Output] = [
            APNSOutput(
                configuration: apns, tokens: ProviderTokenRepository(pool, keyring: keyring), eventLoops: eventLoops,
                logger: logger, clock: { .now },
                refusals: { board.tell($0) }),
            DiscardOutput(now: { .now }),
        ]
        let pipeline = try DeliveryPipeline(
            configuration: pipelineConfiguration, broker: broker, outputs: outputs, snapshots: snapshots,
            registry: DeviceTokenRegistry(pool, logger: logger), claims: ClaimRepository(pool),
            deadTokens: suppression.map { DeadTokenFeed(pool, configuration: $0, logger: logger) },
            cancellations: cancellations, logger: logger, now: { .now })

        var services: [any Service] = [
            SnapshotService(store: snapshots, following: changes, outputs: outputs),
            ExpiryService(store: snapshots, now: { .now }, logger: logger),
            RefusalService(
                board: board, repository: RefusalRepository(pool), worker: pipelineConfiguration.worker, logger: logger),
        ]
        services.append(
            MaintenanceService(
                claims: ClaimRepository(pool), cancellations: CancellationRepository(pool), logger: logger))
        services.append(
            ReloadService(hangUps: hangUps, pipeline: pipeline, level: level, reload: reload, logger: logger))
        if let listen {
            services.append(
                StatusServer(
                    host: listen.host, port: listen.port, eventLoops: eventLoops, logger: logger,
                    counts: { pipeline.counts }, refusals: { board.refusals }, badTokens: { board.badTokens },
                    credentials: { snapshots.current.credentialSummaries }))
        }
        services.append(
            PipelineService(
                pipeline: pipeline, outputs: outputs, drainTimeout: .seconds(drainSeconds), logger: logger))
        self.pipeline = pipeline
        self.services = services
        drainTimeout = .seconds(drainSeconds)
        self.logger = logger
    }

    /// Works until SIGTERM or SIGINT, then drains.
    public func run() async throws {
        var configuration = ServiceGroupConfiguration(
            services: services.map {
                .init(
                    service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                    failureTerminationBehavior: .gracefullyShutdownGroup)
            },
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = drainTimeout + .seconds(30)
        logger.notice("Worker started")
        let secondSignal = Task { [logger] in await SecondSignal.watch(logger) }
        defer { secondSignal.cancel() }
        try await ServiceGroup(configuration: configuration).run()
    }

    /// A database that is away at start is waited for, aloud; any other fault ends the start.
    private static func whenDatabaseIsThere<Value: Sendable>(
        _ logger: Logger, _ body: () async throws -> Value
    ) async throws -> Value {
        while true {
            do {
                return try await body()
            } catch let error as PostgresError where error.isRetriable {
                logger.warning("Waiting for the database", metadata: ["error": "\(error)"])
                try await Task.sleep(for: .seconds(2))
            }
        }
    }
}
