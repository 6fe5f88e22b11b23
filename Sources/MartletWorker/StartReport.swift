import Contract
import DeliveryPipeline
import Foundations
import Logging
import MartletConfiguration
import Observability
import PostgresClient
import PushModel
import Routing
import ServiceLifecycle
import Store

/// A service that logs a worker's first lines: its settings, and the products and versions of its broker and database.
struct StartReport: Service {
    let configuration: WorkerConfiguration
    let pipeline: JobPipeline
    let snapshots: SnapshotStore
    let pool: PostgresPool
    let logger: Logger

    /// The maximum time that the line `worker.started` waits for the broker. It is also the interval at which
    /// ``logWeaknesses()`` checks whether the broker is known.
    private static let patience = Duration.seconds(5)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            let broker = await pipeline.broker(within: Self.patience)
            let database = try? await pool.query("SHOW server_version")[0]["server_version"].text
            // A worker that was stopped in the meantime must not log that it has started.
            guard !Task.isCancelled else { return }
            logger.notice(.started, "Worker started", metadata: metadata(broker: broker, database: database))
            await logWeaknesses()
        }
        try? await gracefulShutdown()
    }

    /// Waits until the broker's product is known, and then logs the broker's weaknesses once.
    private func logWeaknesses() async {
        while pipeline.broker == nil { guard (try? await Task.sleep(for: Self.patience)) != nil else { return } }
        guard let broker = pipeline.broker else { return }
        for weakness in BrokerGuarantees(product: broker).weaknesses {
            logger.warning(
                .brokerWeaker, "The broker may lack guarantees that Martlet relies on",
                metadata: ["broker": "\(broker)", "weakness": "\(weakness)"])
        }
    }

    /// Logs the worker's first line, before the worker waits for anything.
    static func begin(_ configuration: WorkerConfiguration, _ logger: Logger) {
        let pipeline = configuration.pipeline
        logger.notice(
            .starting, "Worker starting",
            metadata: [
                "version": "\(Build.version)",
                "prefix": "\(pipeline.names.prefix)",
                "outputs": .array(configuration.source.outputs.map { "\($0.name)" }),
                "prefetch": .dictionary(
                    Dictionary(uniqueKeysWithValues: pipeline.prefetch.map { ($0.rawValue, .stringConvertible($1)) })),
                "prefetch_bytes": .stringConvertible(pipeline.prefetchBytes),
                "maximum_in_flight": .stringConvertible(pipeline.limits.maximumInFlight),
                "chunk_size": .stringConvertible(pipeline.limits.chunkSize),
                "drain_timeout_s": .stringConvertible(Int(configuration.drainTimeout / .seconds(1))),
            ])
    }

    private func metadata(broker: String?, database: String?) -> Logger.Metadata {
        let snapshot = snapshots.current
        return [
            "version": "\(Build.version)",
            "prefix": "\(configuration.pipeline.names.prefix)",
            "broker": "\(broker ?? "not connected yet")",
            "database": "\(database.map { "PostgreSQL \($0)" } ?? "unavailable")",
            "apps": .stringConvertible(snapshot.appCount),
            "credentials": .stringConvertible(snapshot.credentialIDs.count),
        ]
    }
}
