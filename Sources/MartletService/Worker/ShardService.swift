import DeliveryPipeline
import ServiceLifecycle
import Store

/// Finds out whether others have spread the lanes over more queues than this worker consumes, or have made one again that went
/// away. Whoever connects looks at the broker; later, the table of workers tells, or that a queue has gone, since the broker's
/// log has an error for each look at what is not there.
///
/// The service also checks that the exchanges and queues exist. A policy may delete a queue that nobody publishes to
/// because it only holds scheduled jobs.
struct ShardService: Service {
    private static let interval = Duration.seconds(30)

    let pipeline: DeliveryPipeline
    let workers: WorkerRepository

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var watch = ShardWatch()
            var (most, beats) = (0, 0)
            while (try? await Task.sleep(for: Self.interval)) != nil {
                // Where the database is away, it is as it was.
                if let fleet = try? await workers.fleet() { most = fleet.compactMap(\.report?.shards).max() ?? 0 }
                beats += 1
                if beats.isMultiple(of: 2) { pipeline.checkTopology() }
                if watch.mustLook(pipeline.counts, most: most) { pipeline.lookForShards() }
            }
        }
    }
}
