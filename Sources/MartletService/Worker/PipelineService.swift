import DeliveryPipeline
import Logging
import PushModel
import ServiceLifecycle

/// Runs the pipeline until the process is told to stop, then drains it.
struct PipelineService: Service {
    let pipeline: DeliveryPipeline
    let outputs: [RunningOutput]
    let drainTimeout: Duration
    let logger: Logger

    func run() async throws {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await pipeline.run() }
            try? await gracefulShutdown()
            logger.notice("Stopping: finishing what is on the wire")
            if await pipeline.drain(deadline: drainTimeout) {
                logger.notice("Everything is settled")
            } else {
                logger.warning("Not everything was settled in time; the broker will deliver the rest again")
            }
            for running in outputs { await running.output.shutDown() }
            group.cancelAll()
        }
    }
}
