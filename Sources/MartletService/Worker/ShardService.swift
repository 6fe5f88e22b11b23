import DeliveryPipeline
import ServiceLifecycle
import Store

/// A service that detects queues of the lanes that this worker does not consume. Other workers may have spread the
/// lanes over more queues, or may have declared a deleted queue again.
///
/// When a worker connects, it looks at the broker itself. Later it relies on the table of workers, and on the broker's
/// notice that a queue was deleted. Each look at a missing queue would write an error to the broker's log.
///
/// The service also checks that the exchanges and queues exist. A policy may delete a queue that has no publishers
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
                // If the database does not answer, the last known number is used.
                if let fleet = try? await workers.fleet() { most = fleet.compactMap(\.report?.shards).max() ?? 0 }
                beats += 1
                if beats.isMultiple(of: 2) { pipeline.checkTopology() }
                if watch.mustLook(pipeline.counts, most: most) { pipeline.lookForShards() }
            }
        }
    }
}
