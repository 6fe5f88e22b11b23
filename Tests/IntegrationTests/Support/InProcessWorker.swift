import Contract
import Foundations
import APNSOutput
import APNSSimulator
import DeliveryPipeline
import Logging
import NIOPosix
import PushModel
import Routing
import Store
import TestSupport
import Testing
import WorkerTestSupport

/// A pipeline with an APNs output, connected as in a worker, but with delays that are short enough for tests.
struct InProcessWorker: Sendable {
    private let pipeline: JobPipeline
    private let output: APNSSender
    private let work: Task<Void, Never>

    /// Runs a worker while `body` runs, then drains it.
    static func run(
        in installation: Installation, retry: RetryPolicy = Installation.quickRetry, maximumConnections: Int = 8,
        deadTokens: DeadTokenFeed.Configuration? = nil, databasePatience: Int = 60_000, name: String = "test-worker",
        prefetch: [Lane: Int]? = nil, _ body: (InProcessWorker) async throws -> Void
    ) async throws {
        let worker = try await InProcessWorker(
            installation, retry, maximumConnections, deadTokens, databasePatience, name, prefetch)
        do {
            try await body(worker)
        } catch {
            Issue.record(error, "\(installation.log.text)")
        }
        let isDrained = await worker.stop()
        #expect(isDrained, "the worker settles all jobs before it stops: \(worker.counts)")
    }

    private init(
        _ installation: Installation, _ retry: RetryPolicy, _ maximumConnections: Int,
        _ deadTokens: DeadTokenFeed.Configuration?, _ databasePatience: Int,
        _ name: String, _ prefetch: [Lane: Int]?
    ) async throws {
        let logger = installation.log.logger("worker")
        let endpoint = Endpoint(host: "127.0.0.1", port: installation.simulator.port)
        var apns = APNSConfiguration(
            production: endpoint, sandbox: endpoint, authorityFile: installation.path("ca.pem"),
            maximumConnections: maximumConnections, connectTimeoutSeconds: 30)
        // The database of a busy machine may be slow without being unreachable.
        apns.tokenPatienceMilliseconds = Int64(databasePatience)
        let output = APNSSender(
            configuration: apns,
            tokens: SharedTokenRepository(installation.database.pool, keyring: installation.keyring),
            eventLoops: MultiThreadedEventLoopGroup.singleton, logger: logger, clock: { .now })
        let snapshots = try await SnapshotStore.load(
            from: installation.database.pool, keyring: installation.keyring, logger: logger)
        let changes = ChangeListener(installation.database.configuration, logger: logger)
        let cancellations = try await CancellationFeed.load(
            from: installation.database.pool, changes: changes, logger: logger)
        var configuration = PipelineConfiguration(names: installation.names, worker: name, retry: retry)
        if let prefetch { configuration.prefetch = prefetch }
        configuration.databasePatience = databasePatience
        let pipeline = try JobPipeline(
            configuration: configuration,
            broker: try installation.brokerConfiguration(),
            outputs: [
                RunningOutput(APNSPlugin(), output), RunningOutput(DiscardPlugin(), DiscardOutput(now: { .now })),
            ],
            snapshots: snapshots, registry: DeviceTokenRegistry(installation.database.pool),
            claims: ClaimRepository(installation.database.pool),
            deadTokens: deadTokens.map {
                DeadTokenFeed(installation.database.pool, configuration: $0, logger: logger)
            },
            cancellations: cancellations, logger: logger, now: { .now })
        self.output = output
        self.pipeline = pipeline
        work = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await pipeline.run() }
                group.addTask { await changes.run() }
                group.addTask { await snapshots.run(on: changes) }
                group.addTask {
                    for await snapshot in snapshots.changes() { output.credentialsChanged(to: snapshot.credentialIDs) }
                }
            }
        }
    }

    var counts: PipelineCounts { pipeline.counts }

    /// Drains and stops the worker.
    ///
    /// - Returns: whether all jobs were settled in time.
    private func stop() async -> Bool {
        let isDrained = await pipeline.drain(deadline: .seconds(20)) != .unsettled
        await output.shutDown()
        work.cancel()
        await work.value
        return isDrained
    }
}
