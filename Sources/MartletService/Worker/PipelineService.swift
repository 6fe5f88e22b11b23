import DeliveryPipeline
import EventNames
import Logging
import PushModel
import ServiceLifecycle

/// Runs the pipeline until the process is told to stop, then drains it.
struct PipelineService: Service {
    let pipeline: DeliveryPipeline
    let outputs: [RunningOutput]
    let drainTimeout: Duration
    let log: WorkerLog
    let logger: Logger

    func run() async throws {
        let start = ContinuousClock.now
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await pipeline.run() }
            try? await gracefulShutdown()
            let stop = ContinuousClock.now
            logger.notice(.stopping, "Stopping: finishing what is on the wire")
            if await pipeline.drain(deadline: drainTimeout) {
                logger.notice(.settled, "Everything is settled")
            } else {
                logger.warning(
                    .unsettled, "Not everything was settled in time; the broker will deliver the rest again")
            }
            let drained = ContinuousClock.now
            for running in outputs { await running.output.shutDown() }
            group.cancelAll()
            log.flush()
            report(ran: stop - start, drained: drained - stop)
        }
    }

    /// The last line: what this worker has done.
    private func report(ran: Duration, drained: Duration) {
        let counts = pipeline.counts
        logger.notice(
            .stopped, "Worker stopped",
            metadata: [
                "ran_s": .stringConvertible(Int(ran / .seconds(1))),
                "drain_ms": .stringConvertible(Int(drained / .milliseconds(1))),
                "jobs": .stringConvertible(counts.jobsAcknowledged),
                "outcomes": .dictionary(counts.outcomes.mapValues { .stringConvertible($0) }),
                "retries": .stringConvertible(counts.retries),
                "jobs_put_back": .stringConvertible(counts.jobsPutBack),
                "pushes_put_back": .stringConvertible(counts.pushesPutBack),
                "jobs_left": .stringConvertible(counts.jobsOpen),
            ])
    }
}
