import DeliveryPipeline
import ServiceLifecycle
import Store

/// A service that detects shards of the lanes that this worker does not consume. Other workers may have divided the
/// lanes into more shards, or may have declared a deleted queue again.
///
/// When a worker connects, it checks the broker for further shards itself. Later it relies on the table of workers, and
/// on the broker's notice that a queue was deleted. More frequent checks are avoided, because each check for a missing
/// queue writes an error to the broker's log.
///
/// The service also checks that the exchanges and queues exist. A policy may delete a queue without publishers even if
/// it holds scheduled jobs.
struct ShardService: Service {
    private static let interval = Duration.seconds(30)

    let pipeline: DeliveryPipeline
    let workers: WorkerRepository

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var watch = ShardCheckSchedule()
            var (most, beats) = (0, 0)
            while (try? await Task.sleep(for: Self.interval)) != nil {
                // If the database does not answer, the last known number of shards is used.
                if let fleet = try? await workers.fleet() { most = fleet.compactMap(\.report?.shards).max() ?? 0 }
                beats += 1
                if beats.isMultiple(of: 2) { pipeline.checkTopology() }
                if watch.mustLook(pipeline.counts, most: most) { pipeline.lookForShards() }
            }
        }
    }
}
