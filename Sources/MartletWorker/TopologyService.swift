import DeliveryPipeline
import ServiceLifecycle

/// A service that checks once per minute that the exchanges and queues exist. A policy may delete a queue that has no
/// consumers, such as a delay queue, even if the queue holds scheduled jobs.
struct TopologyService: Service {
    private static let interval = Duration.seconds(60)

    let pipeline: JobPipeline

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: Self.interval)) != nil { pipeline.checkTopology() }
        }
    }
}
