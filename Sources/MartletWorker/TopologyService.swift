import DeliveryPipeline
import ServiceLifecycle

/// A service that checks once per minute that the exchanges and queues exist. A policy may delete a queue without
/// publishers even if it holds scheduled jobs.
struct TopologyService: Service {
    private static let interval = Duration.seconds(60)

    let pipeline: JobPipeline

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: Self.interval)) != nil { pipeline.checkTopology() }
        }
    }
}
