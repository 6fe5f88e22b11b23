import DeliveryPipeline
import ServiceLifecycle
import Store

/// Finds out whether others have spread the lanes over more queues than this worker consumes, or have made one again that went
/// away. Whoever connects looks at the broker; later, the table of workers tells, or that a queue has gone, since the broker's
/// log has an error for each look at what is not there.
struct ShardService: Service {
    private static let interval = Duration.seconds(30)

    let pipeline: DeliveryPipeline
    let workers: WorkerRepository

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: Self.interval)) != nil {
                // Where the database is away, the next look is soon enough.
                let most = (try? await workers.fleet().compactMap(\.report?.shards).max()) ?? 0
                let counts = pipeline.counts
                if counts.lacksShards || most > counts.shards { pipeline.lookForShards() }
            }
        }
    }
}
