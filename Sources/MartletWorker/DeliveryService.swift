import Foundations
import DeliveryPipeline
import Foundation
import Logging
import MartletConfiguration
import Metering
import Observability
import PostgresClient
import PushModel
import ServiceLifecycle
import Store
import UnixSignals

/// A service that waits for the database and then delivers jobs.
struct DeliveryService: Service {
    let configuration: WorkerConfiguration
    let state: WorkerState
    let refusalRegistry: RefusalRegistry
    let quotas: QuotaShareTable
    let status: StatusSource
    let failures: OngoingFailures
    let metrics: MetricRegistry
    /// The exporter of traces, or `nil` if traces are disabled.
    let traces: TraceService?
    let hangUps: UnixSignalsSequence
    let log: WorkerLog
    let reload: @Sendable () async throws -> ConfigurationSource
    let logger: Logger

    /// Delivers jobs until shutdown. If the database can't be reached, the service waits for it first.
    ///
    /// - Throws: `StoreError` if migrations are missing; `PostgresError` if a retry can't help; `ConfigurationError` or
    ///   `AMQPError` if the settings of an output or of the broker are invalid.
    func run() async throws {
        StartReport.begin(configuration, logger)
        let pool = PostgresPool(configuration.database, logger: logger)
        // Operators' changes are read over separate connections, so that a statement that waits for a lock can't delay
        // them.
        var few = PostgresPool.Options()
        few.maximumConnections = 2
        let operators = PostgresPool(configuration.database, options: few, logger: logger)
        // The worker's row also has its own connection, so that no other statement delays its renewal.
        few.maximumConnections = 1
        let fleet = PostgresPool(configuration.database, options: few, logger: logger)
        defer {
            pool.close()
            operators.close()
            fleet.close()
        }
        let changes = ChangeListener(configuration.database, listens: configuration.listens, logger: logger)
        guard let (snapshots, cancellations) = try await loadUnlessStopped(operators, changes) else { return }
        await status.fleet.reads(WorkerRepository(operators), AuditRepository(operators))
        let worker = RunningWorker(
            id: UUID().uuidString.lowercased(), name: configuration.pipeline.worker, version: Build.version,
            outputs: configuration.source.outputs.map(\.name), start: .now)
        // The fleet service starts before the keyring is checked. If the keyring opens nothing, the worker's row then
        // shows the problem to the whole fleet.
        let fleetService = FleetService(
            quotaShares: quotas, changes: changes, repository: WorkerRepository(fleet), worker: worker,
            sharesQuotas: { [state] in state.isWorking }, report: { [status] in status.report() }, logger: logger)
        let delivery = Step {
            guard await canOpenSomething(snapshots, changes) else { return }
            try await deliver(snapshots, cancellations, changes, pool, operators)
        }
        // Services stop in reverse order, so the row is deleted after the drain.
        try await Self.run([fleetService, delivery], logger)
    }

    private struct Step: Service {
        let body: @Sendable () async throws -> Void

        func run() async throws { try await body() }
    }

    private static func run(_ services: [any Service], _ logger: Logger) async throws {
        try await ServiceGroup(configuration: .init(services: services.map { $0.endingAll }, logger: logger)).run()
    }

    private func deliver(
        _ snapshots: SnapshotStore, _ cancellations: CancellationFeed, _ changes: ChangeListener, _ pool: PostgresPool,
        _ operators: PostgresPool
    ) async throws {
        let outputs = try outputs(pool)
        let pipeline = try JobPipeline(
            configuration: configuration.pipeline, broker: configuration.broker, outputs: outputs,
            snapshots: snapshots, registry: DeviceTokenRegistry(pool, logger: logger), claims: ClaimRepository(pool),
            deadTokens: configuration.suppression.map {
                DeadTokenFeed(pool, configuration: $0, failures: failures, logger: logger)
            },
            cancellations: cancellations, workers: { [quotas] in quotas.workers }, failures: failures, logger: logger,
            now: { .now })
        state.works(pipeline, snapshots)
        quotas.look()
        // Services stop in reverse order, so that traces are sent until all other services have stopped.
        let services: [any Service] =
            (traces.map { [$0] } ?? []) + [
                StartReport(
                    configuration: configuration, pipeline: pipeline, snapshots: snapshots, pool: operators,
                    logger: logger),
                SnapshotService(
                    store: snapshots, following: changes, outputs: outputs, apps: configuration.pipeline.meter.apps),
                ExpiryService(
                    store: snapshots, accountNames: configuration.source.outputs.accountNames, now: { .now },
                    logger: logger
                ),
                RefusalService(
                    refusalRegistry: refusalRegistry, repository: RefusalRepository(pool),
                    worker: configuration.pipeline.worker,
                    failures: failures, logger: logger),
                MaintenanceService(
                    claims: ClaimRepository(pool), cancellations: CancellationRepository(pool),
                    workers: WorkerRepository(pool), failures: failures, logger: logger),
                ClockService(pool: operators, state: state),
                TopologyService(pipeline: pipeline),
                ReloadService(
                    hangUps: hangUps, pipeline: pipeline, log: log, status: status, reload: reload, logger: logger),
                PipelineService(
                    pipeline: pipeline, outputs: outputs, drainTimeout: configuration.drainTimeout, log: log,
                    logger: logger
                ),
            ]
        try await Self.run(services, logger)
    }

    private func outputs(_ pool: PostgresPool) throws -> [RunningOutput] {
        let tokens = SharedTokenRepository(pool, keyring: configuration.keyring)
        return try configuration.source.outputs.map { try start($0, tokens) }
    }

    private func start(_ plugin: some OutputPlugin, _ tokens: SharedTokenRepository) throws -> RunningOutput {
        try configuration.source.withSettings(of: plugin) { settings in
            var context = OutputContext(
                settings: settings, tokens: tokens, quotas: quotas, clock: { .now },
                refusals: { [refusalRegistry] in refusalRegistry.report($0) }, logger: logger)
            context.metrics = metrics
            return RunningOutput(plugin, try plugin.make(context))
        }
    }

    /// Waits until the ``KeyringGate`` is passed. Returns `false` if the worker is stopped first.
    private func canOpenSomething(_ snapshots: SnapshotStore, _ changes: ChangeListener) async -> Bool {
        let gate = KeyringGate(
            store: snapshots, changes: changes, outputs: configuration.source.outputs, state: state, failures: failures,
            logger: logger)
        await cancelWhenGracefulShutdown { await gate.pass() }
        return !Task.isShuttingDownGracefully
    }

    /// Loads the snapshot and the cancellations. Returns `nil` if the worker is stopped before the database is
    /// available.
    private func loadUnlessStopped(
        _ operators: PostgresPool, _ changes: ChangeListener
    ) async throws -> (SnapshotStore, CancellationFeed)? {
        do {
            return try await cancelWhenGracefulShutdown { try await loadWhenDatabaseIsThere(operators, changes) }
        } catch  where Task.isShuttingDownGracefully {
            return nil
        }
    }

    /// Waits until the database is available, and loads the snapshot and the cancellations. Logs each failed attempt.
    /// An error that a retry can't correct ends the start.
    private func loadWhenDatabaseIsThere(
        _ operators: PostgresPool, _ changes: ChangeListener
    ) async throws -> (SnapshotStore, CancellationFeed) {
        try await DatabaseWait.untilThere { error, wait in
            state.waits("\(StatusFacts.waitsForDatabase): \(error)")
            error.logWaiting(wait, logger)
        } _: {
            try await Migrations(configuration.database, logger: logger).verify()
            let snapshots = try await SnapshotStore.load(
                from: operators, keyring: configuration.keyring,
                patience: ReadTimeout(first: ReadTimeout.longest), failures: failures, logger: logger)
            return (
                snapshots,
                try await CancellationFeed.load(
                    from: operators, changes: changes, failures: failures, logger: logger)
            )
        }
    }
}
