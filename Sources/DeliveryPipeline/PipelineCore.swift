package import AMQPClient
package import CredentialStore
package import Dispatch
package import Logging
package import PushModel

/// The pipeline between the broker's connections and the outputs: takes deliveries in, routes them, settles
/// outcomes, and says what may be acknowledged.
///
/// Everything happens on one serial queue, in batches, so nothing here needs a lock.
// why: unchecked for that reason; every entry point from outside hands over to the queue first.
package final class PipelineCore: @unchecked Sendable {
    package let queue: DispatchQueue
    private(set) var configuration: PipelineConfiguration
    let logger: Logger
    let effects: PipelineEffects
    /// The time of this turn.
    private(set) var now: Timestamp

    private(set) var router: Router
    private(set) var outcomePolicy: OutcomePolicy
    var scheduler: Scheduler
    var prefetchIsWatched = false
    /// Those whose connection is open.
    private var consuming: Set<JobQueue> = []
    var scatterings = Scatterings()
    var claims = Claims()
    var claimCheckIsScheduled = false
    var outbox: Outbox
    var events: EventBatcher
    var retries = RetryBatcher()
    var marks = MarkBuffer()
    /// Of dead tokens that can't be marked just now.
    var unmarked: EventBatcher
    var suspects = SuspectBuffer()
    /// Operators want no more of them sent.
    private(set) var cancelledJobs = CancelledJobs()
    var counts = PipelineCounts()
    /// Of apps that can't be sent for, which all exist, and of exchanges that refuse.
    var warnings = WarningLimit()
    private var acknowledgements: [AMQPAcknowledgement] = []
    private var flushIsScheduled = false
    private(set) var isDraining = false
    private var drained: [@Sendable () -> Void] = []

    package static func makeQueue() -> DispatchQueue {
        DispatchQueue(label: "martlet.pipeline", qos: .userInitiated)
    }

    package init(
        configuration: PipelineConfiguration, outputs: [any Output], on queue: DispatchQueue = makeQueue(),
        effects: PipelineEffects, logger: Logger
    ) {
        self.queue = queue
        self.configuration = configuration
        self.effects = effects
        self.logger = logger
        now = effects.now()
        router = Router(
            outputs: Dictionary(outputs.map { ($0.name, $0) }, uniquingKeysWith: { $1 }), configuration: configuration)
        outcomePolicy = OutcomePolicy(retry: configuration.retry)
        scheduler = Scheduler(configuration)
        outbox = Outbox(
            OutboundMessages(
                names: configuration.names, worker: configuration.worker, user: configuration.brokerUser))
        events = EventBatcher(
            worker: configuration.worker, maximumOutcomes: configuration.maximumOutcomesPerEvent)
        unmarked = events
    }

    // MARK: Entry points, from any thread

    /// - Parameter queues: those of the connection it happens to.
    package func received(_ event: AMQPConsumerEvent, of queues: [JobQueue] = JobQueue.all) {
        turn { [self] in
            switch event {
            case .connected: consuming.formUnion(queues)
            case .deliveries(let deliveries): for delivery in deliveries { arrive(delivery) }
            case .disconnected, .closed:
                consuming.subtract(queues)
                // The broker delivers them again, here or elsewhere.
                for job in scheduler.disconnected(queues) { effects.letGo(job.inbound.delivery) }
                stopSplitting(of: queues)
                forgetRefused(of: queues)
            case .stopped: consuming.subtract(queues)
            }
        }
    }

    package func received(_ event: AMQPPublisherEvent) {
        turn { [self] in
            switch event {
            case .connected: counts.isPublishing = true
            case .confirmed(let ids):
                for id in ids {
                    let done = outbox.met(id)
                    goOnSplitting(after: id)
                    acknowledge(done)
                }
            case .refused(let ids): refused(ids, because: "the broker refused it")
            case .returned(let returned): self.returned(returned)
            case .blocked(let reason):
                counts.isPublishing = false
                logger.warning("The broker accepts no messages for now", metadata: ["reason": "\(reason)"])
            case .unblocked: counts.isPublishing = true
            case .disconnected, .closed:
                counts.isPublishing = false
                outbox.publisherDisconnected()
            }
        }
    }

    package func marksWritten(_ batch: MarkBuffer.Batch, count: Int) {
        turn { [self] in
            for finding in marks.written(batch.id) { tell(finding) }
            counts.tokensMarked += count
        }
    }

    /// Tells of jobs that were cancelled just now, or of which that was taken back. What outputs have of the former and is
    /// not on the wire has failed; what waits here is asked about before it goes to an output.
    package func received(_ event: CancellationFeed.Event) {
        turn { [self] in
            cancelledJobs.apply(event)
            switch event {
            case .loaded(let all):
                for output in router.outputs.values where all.count > 0 { output.cancel { all.contains($0) } }
            case .changed(let changes):
                let cancelled = Set(changes.map(\.job).filter { cancelledJobs.contains($0) })
                for output in router.outputs.values where !cancelled.isEmpty {
                    output.cancel { cancelled.contains($0) }
                }
            }
        }
    }

    package func reconfigure(_ limits: PipelineLimits) {
        turn { [self] in
            configuration.limits = limits
            (router.configuration, scheduler.configuration) = (configuration, configuration)
            outcomePolicy = OutcomePolicy(retry: configuration.retry)
        }
    }

    package func currentCounts() -> PipelineCounts {
        queue.sync {
            var counts = counts
            counts.isConsuming = !isDraining && consuming.count == JobQueue.all.count
            counts.jobsOpen = outbox.ledger.openEntries
            counts.obligationsOpen = outbox.ledger.owing
            counts.jobsWaiting = scheduler.jobsWaiting
            let open = outbox.ledger.openDeliveries.map(\.inbound.arrivedAt)
            let oldest = (open + [scheduler.oldestArrival].compactMap(\.self)).min()
            let now = effects.now()
            counts.oldestJobSeconds = oldest.map { Int(max(0, now.seconds - $0.seconds)) } ?? 0
            counts.suppressionTokens = suspects.knownTokens
            counts.suppressionBytes = suspects.filterBytes
            return counts
        }
    }

    /// Starts no more jobs, puts back those that wait, and calls `done` once all others are settled.
    package func drain(_ done: @escaping @Sendable () -> Void) {
        turn { [self] in
            isDraining = true
            drained.append(done)
            for job in scheduler.removeAll() { move(open(job.inbound), to: job.inbound.home) }
        }
    }

    // MARK: Turns

    /// What comes from outside is dealt with on the queue, with what follows from it.
    func turn(_ body: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            now = effects.now()
            body()
            finishTurn()
        }
    }

    /// Does something on the queue after so many milliseconds, with what follows from it.
    func wait(_ timer: PipelineTimer, _ milliseconds: Int, _ body: @escaping @Sendable () -> Void) {
        effects.wait(timer, milliseconds) { [self] in
            dispatchPrecondition(condition: .onQueue(queue))
            now = effects.now()
            body()
            finishTurn()
        }
    }

    /// What can start is started, what can leave leaves, in one batch each.
    private func finishTurn() {
        startJobs()
        watchPrefetch()
        if marks.isFull { writeMarks() }
        writeClaims()
        lookUpSuspects()
        let publications = outbox.flush()
        if !publications.isEmpty { effects.publish(publications) }
        if !acknowledgements.isEmpty {
            effects.acknowledge(acknowledgements)
            acknowledgements.removeAll(keepingCapacity: true)
        }
        scheduleFlush()
        if isDraining, outbox.ledger.openEntries == 0 {
            for done in drained { done() }
            drained = []
        }
    }

    /// Buffered outcomes, retries and marks leave when they have waited for company long enough.
    private func scheduleFlush() {
        guard !flushIsScheduled,
            !events.isEmpty || !retries.isEmpty || !unmarked.isEmpty || marks.canBeWritten
        else { return }
        flushIsScheduled = true
        wait(.company, configuration.maximumWaitMilliseconds) { [self] in
            flushIsScheduled = false
            for batch in events.flush() { publishEvent(batch) }
            for batch in unmarked.flush() { publishUnmarked(batch) }
            for batch in retries.flush() { publishRetry(batch) }
            writeMarks()
        }
    }

    private func writeMarks() {
        guard marks.canBeWritten, let batch = marks.next(id: outbox.messages.nextID()) else { return }
        effects.write(batch)
        // Without it nobody could tell what waits in the broker from what is forged.
        guard configuration.brokerUser != nil else { return }
        wait(.marks, configuration.longestWaitMilliseconds) { [self] in
            for finding in marks.delayed(batch.id) { hold(finding) }
        }
    }

    // MARK: What is done

    func acknowledge(_ done: [OpenJob]) {
        for job in done {
            let (delivery, queue) = (job.inbound.delivery, job.inbound.queue)
            scheduler.settled(delivery.tag, from: queue, now: now)
            letGo(job)
            if job.isUntakeable {
                effects.reject(delivery.tag)
                continue
            }
            counts.jobsAcknowledged += 1
            acknowledgements.append(AMQPAcknowledgement(delivery.tag))
        }
    }

    /// It takes no room here any more.
    func letGo(_ job: OpenJob) {
        release(job)
        effects.letGo(job.inbound.delivery)
    }

    /// It counts no more for its app and its queue.
    func release(_ job: OpenJob) {
        guard let load = job.load else { return }
        job.load = nil
        scheduler.release(load, isSent: job.isSent, now: now)
    }
}

extension PipelineCore: OutcomeSink {
    package func report(_ outcomes: [Outcome]) {
        turn { [self] in
            for outcome in outcomes { settle(outcome) }
        }
    }
}
