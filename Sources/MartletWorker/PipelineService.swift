import DeliveryPipeline
import Foundations
import Logging
import Observability
import PushModel
import ServiceLifecycle

/// A service that runs the pipeline until shutdown and then drains it.
struct PipelineService: Service {
    let pipeline: JobPipeline
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
            logger.notice(.stopping, "Stopping; waiting for pushes on the wire")
            let end = await pipeline.drain(deadline: drainTimeout)
            let drained = ContinuousClock.now
            // Outcomes that outputs report after the drain are not counted.
            let counts = pipeline.counts
            logEnd(end, counts)
            await shutDownOutputs(awaitingTheWire: end != .unsettled)
            group.cancelAll()
            log.flush()
            report(counts, ran: stop - start, drained: drained - stop)
        }
    }

    private func logEnd(_ end: DrainEnd, _ counts: PipelineCounts) {
        switch end {
        case .settled: logger.notice(.settled, "All jobs are settled")
        case .unanswered:
            logger.warning(
                .unanswered,
                "All outcomes are published, but the broker did not confirm the close; it may redeliver jobs")
        case .unsettled:
            logger.warning(
                .unsettled, "Some jobs were not settled in time; the broker redelivers them",
                metadata: [
                    "jobs": .stringConvertible(counts.jobsOpen), "pushes": .stringConvertible(counts.obligationsOpen),
                ])
        }
    }

    private func shutDownOutputs(awaitingTheWire: Bool) async {
        await withTaskGroup(of: Void.self) { group in
            for running in outputs { group.addTask { await running.output.shutDown() } }
            if !awaitingTheWire { group.cancelAll() }
        }
    }

    /// Logs the worker's last line, which summarises its work.
    private func report(_ counts: PipelineCounts, ran: Duration, drained: Duration) {
        logger.notice(
            .stopped, "Worker stopped",
            metadata: [
                "ran_s": .stringConvertible(Int(ran / .seconds(1))),
                "drain_ms": .stringConvertible(Int(drained / .milliseconds(1))),
                "jobs": .stringConvertible(counts.jobsAcknowledged),
                "outcomes": .dictionary(counts.outcomes.mapValues { .stringConvertible($0) }),
                "retries": .stringConvertible(counts.retries),
                "jobs_requeued": .stringConvertible(counts.jobsRequeued),
                "pushes_requeued": .stringConvertible(counts.pushesRequeued),
                "jobs_left": .stringConvertible(counts.jobsOpen),
            ])
    }
}
