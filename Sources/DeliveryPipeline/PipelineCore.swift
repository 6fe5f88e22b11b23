package import AMQPClient
package import Contract
package import Dispatch
package import Logging
import Metering
package import PushModel
package import Store

/// The event loop that connects the broker, the database and the outputs. In each turn, the ``Pipeline`` handles one
/// event, and the resulting effects are carried out in batches.
///
/// Everything runs on one serial queue, so no lock is needed.
// why: unchecked, because only the serial queue accesses the state. Every entry point dispatches to it.
package final class PipelineCore: @unchecked Sendable {
    package let queue: any TurnQueue
    private let effects: PipelineEffects
    private var pipeline: Pipeline
    private var turn: Turn
    /// The queues that are being consumed: their connection is open, and its consumer has not been stopped.
    private var consuming: Set<JobQueue> = []
    private var prefetchIsWatched = false
    private var paceIsWatched = false
    private var flushIsScheduled = false
    private var acknowledgements: [AMQPAcknowledgement] = []
    private var drained: [@Sendable () -> Void] = []

    package static func makeQueue() -> DispatchQueue {
        DispatchQueue(label: "martlet.pipeline", qos: .userInitiated)
    }

    package init(
        configuration: PipelineConfiguration, outputs: [RunningOutput], on queue: any TurnQueue = makeQueue(),
        effects: PipelineEffects, logger: Logger
    ) {
        self.queue = queue
        self.effects = effects
        pipeline = Pipeline(configuration, outputs: outputs)
        turn = Turn(
            Outbox(configuration), jobLog: configuration.limits.jobLog, tracer: configuration.tracer, logger: logger,
            now: effects.now(), snapshots: effects.snapshot, workers: effects.workers)
    }

    // MARK: Events (callable from any thread)

    /// Handles an event of a consuming connection: new deliveries, or a change in the state of the connection.
    ///
    /// - Parameter queues: the queues of the connection.
    package func received(_ event: AMQPConsumerEvent, of queues: [JobQueue] = JobQueue.all) {
        happened { [self] in
            switch event {
            case .connected:
                consuming.formUnion(queues)
                pipeline.scheduler.connected(queues, now: turn.now)
                pipeline.configuration.meter.links(isOpen: true, wasOpen: turn.counts.connects(queues, true))
            case .deliveries(let deliveries): for delivery in deliveries { pipeline.arrive(delivery, &turn) }
            case .disconnected:
                pipeline.configuration.meter.links(isOpen: false, wasOpen: turn.counts.connects(queues, false))
                ended(queues)
            case .closed(let error):
                turn.counts.connects(queues, false)
                if error != nil { turn.counts.mayLackAcknowledgements = true }
                ended(queues)
            case .stopped: consuming.subtract(queues)
            }
        }
    }

    package func received(_ event: AMQPPublisherEvent) {
        happened { [self] in
            switch event {
            case .connected:
                pipeline.configuration.meter.links(isOpen: true, wasOpen: turn.counts.publishes(true))
                pipeline.takesNothing = false
            case .unblocked:
                turn.counts.publishes(true)
                pipeline.takesNothing = false
            case .confirmed(let ids):
                for id in ids {
                    turn.met(id)
                    pipeline.splitting.goOn(after: id, &turn)
                }
            case .refused(let ids):
                for id in ids { turn.outbox[id].map { turn.counts.refusals[$0.publication.exchange] = nil } }
                pipeline.refused(ids, because: "the broker refused it", &turn)
            case .mayBeTaken(let ids): turn.outbox.mayBeTaken(ids)
            case .unroutable(let id): turn.outbox.unroutable(id)
            case .returned(let returned): pipeline.returned(returned, &turn)
            case .blocked:
                turn.counts.publishes(true, isBlocked: true)
                pipeline.takesNothing = true
            case .disconnected:
                pipeline.configuration.meter.links(isOpen: false, wasOpen: turn.counts.publishes(false))
                publisherEnded()
            case .closed:
                turn.counts.publishes(false)
                publisherEnded()
            }
        }
    }

    private func publisherEnded() {
        turn.outbox.publisherDisconnected()
        pipeline.takesNothing = true
    }

    private func ended(_ queues: [JobQueue]) {
        let wasOpen = !consuming.isDisjoint(with: queues)
        consuming.subtract(queues)
        pipeline.disconnected(queues, wasOpen: wasOpen, &turn)
    }

    package func marksWritten(_ batch: MarkBuffer.Batch, count: Int) {
        happened { [self] in
            pipeline.settling.marksWritten(batch.id, &turn)
            turn.counts.tokensMarked += count
        }
    }

    /// Handles the database's answers to a batch of claims.
    ///
    /// - Parameter answers: one answer for each request of the batch, in the same order.
    package func claimed(_ batch: Claims.Batch, _ answers: [ClaimAnswer]) {
        happened { [self] in
            for decision in pipeline.claims.answered(batch.id, answers, &turn) { pipeline.carryOut(decision, &turn) }
        }
    }

    /// Handles the result of a look-up of tokens.
    ///
    /// - Parameter deaths: the times at which dead tokens died, by the token's position in the look-up, or `nil` if the
    ///   look-up failed.
    package func lookedUp(_ id: UInt64, deaths: [Int: Timestamp]?) {
        happened { [self] in
            let findings =
                if let deaths { pipeline.suppression.answered(id, deaths, &turn) } else {
                    pipeline.suppression.giveUp(id, &turn)
                }
            pipeline.carryOut(findings, &turn)
        }
    }

    package func received(_ event: DeadTokenFeed.Event) {
        happened { [self] in pipeline.suppression.received(event) }
    }

    /// Handles newly cancelled jobs and jobs that are no longer cancelled. Outputs fail the pushes of a cancelled job
    /// that are not on the wire. A job that waits in the pipeline is checked before it goes to an output.
    package func received(_ event: CancellationFeed.Event) {
        happened { [self] in
            guard let isCancelled = pipeline.received(event) else { return }
            for running in pipeline.router.outputs.values { running.output.cancel(isCancelled) }
        }
    }

    package func reconfigure(_ limits: PipelineLimits) {
        happened { [self] in
            pipeline.reconfigure(limits)
            turn.outbox.longestForEvents = limits.maximumAge
            turn.jobLog = limits.jobLog
        }
    }

    /// Stops starting jobs, requeues waiting jobs, and calls `done` once no job is open.
    package func drain(_ done: @escaping @Sendable () -> Void) {
        happened { [self] in
            drained.append(done)
            pipeline.drain(&turn)
        }
    }

    package func currentCounts() -> PipelineCounts {
        queue.sync {
            let (ledger, scheduler) = (turn.outbox.ledger, pipeline.scheduler)
            var counts = turn.counts
            counts.isConsuming = !pipeline.isDraining && consuming.count == JobQueue.all.count
            counts.jobsOpen = ledger.openEntries
            counts.obligationsOpen = ledger.owing
            counts.jobsWaiting = scheduler.jobsWaiting
            (counts.refusedWaiting, counts.resultsRouting) = (turn.outbox.waitingByExchange, turn.outbox.routing.counts)
            counts.unconfirmed = turn.outbox.unconfirmedCount
            counts.unconfirmedSeconds =
                turn.outbox.oldestUnconfirmed.map {
                    Int(max(0, effects.now().milliseconds - $0.milliseconds) / 1000)
                } ?? 0
            counts.marksPending = pipeline.settling.marksPending
            counts.isMarkingDelayed = pipeline.settling.isMarkingDelayed
            counts.prefetchUsed = JobQueue.all.map(scheduler.prefetchUsed)
            for job in ledger.openDeliveries { counts.isOpen(job.inbound) }
            for job in scheduler.oldestWaiting { counts.isOpen(job) }
            counts.oldestJobSeconds =
                counts.oldest.filter { $0 > 0 }.min().map {
                    Int(max(0, effects.now().milliseconds - $0) / 1000)
                } ?? 0
            counts.suppressionTokens = pipeline.suppression.knownTokens
            counts.suppressionBytes = pipeline.suppression.filterBytes
            return counts
        }
    }

    package func look() -> PipelineView {
        queue.sync {
            let now = effects.now()
            var oldest: [Lane: Timestamp] = [:]
            for job in turn.outbox.ledger.openDeliveries {
                let (lane, arrival) = (job.inbound.lane, job.inbound.arrivedAt)
                oldest[lane] = min(oldest[lane] ?? arrival, arrival)
            }
            return PipelineView(
                lanes: pipeline.scheduler.lanes(oldest: oldest, now: now), apps: pipeline.scheduler.appViews(now: now),
                isDraining: pipeline.isDraining)
        }
    }

    // MARK: Turns

    private func happened(_ what: @escaping @Sendable () -> Void) { queue.perform { [self] in takeTurn(what) } }

    private func takeTurn(_ what: () -> Void) {
        queue.check()
        turn.begin(effects.now())
        what()
        releaseDone()
        pipeline.startJobs(&turn)
        releaseDone()
        watchPrefetch()
        watchPace()
        writeMarks(isDue: false)
        if let batch = pipeline.claims.next(&turn) { effects.claim(batch) }
        if let lookUp = pipeline.suppression.next(&turn) { effects.lookUp(lookUp) }
        for (job, output) in turn.takeSends() { output.send(job, reportingTo: self) }
        let publications = turn.outbox.flush()
        if !publications.isEmpty { effects.publish(publications) }
        acknowledge()
        if !flushIsScheduled, pipeline.settling.isGathering {
            flushIsScheduled = true
            turn.wait(.company, pipeline.configuration.maximumWaitMilliseconds)
        }
        if let priority = turn.takePriority() { effects.setPriority(priority) }
        for (timer, milliseconds) in turn.takeTimers() {
            effects.wait(timer, milliseconds) { [self] in takeTurn { isOver(timer) } }
        }
        turn.handOverSpans()
        turn.end()
        if pipeline.isDraining, turn.outbox.ledger.openEntries == 0 {
            for done in drained { done() }
            drained = []
        }
    }

    private func isOver(_ timer: PipelineTimer) {
        switch timer {
        case .company:
            flushIsScheduled = false
            pipeline.settling.flush(&turn)
            writeMarks(isDue: true)
        case .prefetch:
            prefetchIsWatched = false
            for change in pipeline.beat(&turn) { effects.setPrefetch(change.prefetch, change.queue) }
        case .rateLimits: paceIsWatched = false
        case .priority: turn.checkPriority()
        case .claims: for decision in pipeline.claims.overdue(&turn) { pipeline.carryOut(decision, &turn) }
        case .lookUp(let id): pipeline.carryOut(pipeline.suppression.giveUp(id, &turn), &turn)
        case .marks(let id): pipeline.settling.marksDelayed(id, &turn)
        case .refusal(let ids): pipeline.refusals.offerAgain(ids, &turn)
        }
    }

    private func watchPrefetch() {
        guard pipeline.watchPrefetch(), !prefetchIsWatched else { return }
        prefetchIsWatched = true
        turn.wait(.prefetch, PrefetchControl.milliseconds)
    }

    private func watchPace() {
        guard pipeline.scheduler.waitsForPace, !paceIsWatched else { return }
        paceIsWatched = true
        turn.wait(.rateLimits, RateLimiter.beatMilliseconds)
    }

    private func writeMarks(isDue: Bool) {
        if let batch = pipeline.settling.nextMarks(isDue: isDue, &turn) { effects.write(batch) }
    }

    // MARK: Finished jobs

    /// Releases the capacity of jobs that are done or lost. Acknowledges or rejects the done jobs, except for orphans,
    /// whose deliveries are no longer open.
    private func releaseDone() {
        for job in turn.takeDone() {
            pipeline.acknowledged(job, now: turn.now)
            turn.release(job)
            turn.tell(job)
            turn.endTrace(of: job)
            effects.release(job.inbound.delivery)
            if job.isOrphan {
                turn.orphans.end(job, now: turn.now)
            } else if job.isUntakeable {
                effects.reject(job.inbound.tag)
            } else {
                turn.counts.jobsAcknowledged += 1
                acknowledgements.append(AMQPAcknowledgement(job.inbound.tag))
            }
        }
        for delivery in turn.takeLost() { effects.release(delivery) }
        pipeline.release(&turn)
    }

    private func acknowledge() {
        guard !acknowledgements.isEmpty else { return }
        effects.acknowledge(acknowledgements)
        acknowledgements = []
    }
}

extension PipelineCore: OutcomeSink {
    package func report(_ outcomes: [Outcome]) {
        happened { [self] in pipeline.settling.settle(outcomes, &turn) }
    }
}
