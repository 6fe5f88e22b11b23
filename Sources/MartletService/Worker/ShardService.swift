import DeliveryPipeline
import ServiceLifecycle
import Store

/// Finds out whether others have spread the lanes over more queues than this worker consumes. Whoever connects looks at the
/// broker; later, the table of workers tells, since the broker's log has an error for each look at what is not there.
struct ShardService: Service {
    private static let interval = Duration.seconds(30)

    let pipeline: DeliveryPipeline
    let workers: WorkerRepository

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: Self.interval)) != nil {
                // Where the database is away, the next look is soon enough.
                let most = try? await workers.fleet().compactMap(\.report?.shards).max()
                if let most, most > pipeline.counts.shards { pipeline.lookForShards() }
            }
        }
    }
}
