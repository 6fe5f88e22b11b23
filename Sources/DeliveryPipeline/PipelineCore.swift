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
    package let queue = DispatchQueue(label: "martlet.pipeline", qos: .userInitiated)
    private(set) var configuration: PipelineConfiguration
    let logger: Logger
    private(set) var outputs: [String: any Output]
    /// Set once, before the first delivery.
    package var effects: PipelineEffects?

    /// By ``JobQueue/all``.
    var waiting = Array(repeating: FairQueue(), count: JobQueue.all.count)
    /// By ``JobQueue/all``, too.
    var queueUses: [QueueUse]
    var prefetchIsWatched = false
    /// Those whose connection is open.
    private var consuming: Set<JobQueue> = []
    var scatterings = Scatterings()
    var claims = Claims()
    var claimCheckIsScheduled = false
    private var uses: [String: AppUse] = [:]
    var ledger = SettlingLedger<InboundJob>()
    var messages: OutboundMessages
    var events: EventBatcher
    var retries = RetryBatcher()
    var marks = MarkBuffer()
    /// Of dead tokens that can't be marked just now.
    var unmarked: EventBatcher
    var suspects = SuspectBuffer()
    /// Operators want no more of them sent.
    private(set) var cancelledJobs = CancelledJobs()
    var counts = PipelineCounts()
    /// Published and not confirmed: kept in case the broker refuses it.
    var unconfirmed: [UInt64: UnconfirmedMessage] = [:]
    /// When jobs of an app that can't be sent were last logged; only apps that exist are in it.
    var lastWarnings: [String: Timestamp] = [:]
    var outbox: [AMQPPublication] = []
    private var acknowledgements: [AMQPAcknowledgement] = []
    private var flushIsScheduled = false
    private(set) var isDraining = false
    private var drained: [@Sendable () -> Void] = []

    /// How many apps are kept in mind although they have nothing here.
    private static let mostIdleApps = 1_000

    package init(configuration: PipelineConfiguration, outputs: [any Output], logger: Logger) {
        self.configuration = configuration
        self.outputs = Dictionary(outputs.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        self.logger = logger
        queueUses = JobQueue.all.map { queue in
            QueueUse(prefetch: queue.isOverflow ? PrefetchControl(most: configuration.prefetch(of: queue)) : nil)
        }
        messages = OutboundMessages(
            names: configuration.names, worker: configuration.worker, user: configuration.brokerUser)
        events = EventBatcher(
            worker: configuration.worker, maximumOutcomes: configuration.maximumOutcomesPerEvent)
        unmarked = events
    }

    // MARK: Entry points, from any thread

    /// - Parameter queues: those of the connection it happens to.
    package func received(_ event: AMQPConsumerEvent, of queues: [JobQueue] = JobQueue.all) {
        queue.async { [self] in
            switch event {
            case .connected: consuming.formUnion(queues)
            case .deliveries(let deliveries): for delivery in deliveries { arrive(delivery) }
            case .disconnected, .closed:
                consuming.subtract(queues)
                // The broker delivers them again, here or elsewhere.
                for queue in queues {
                    queueUses[queue.index].disconnected()
                    for job in waiting[queue.index].removeAll() { effects?.letGo(job.inbound.delivery) }
                }
                stopSplitting(of: queues)
                forgetRefused(of: queues)
            case .stopped: consuming.subtract(queues)
            }
            finishTurn()
        }
    }

    package func received(_ event: AMQPPublisherEvent) {
        queue.async { [self] in
            switch event {
            case .connected: counts.isPublishing = true
            case .confirmed(let ids): for id in ids { confirmed(id) }
            case .refused(let ids): refused(ids, because: "the broker refused it")
            case .returned(let returned): self.returned(returned)
            case .blocked(let reason):
                counts.isPublishing = false
                logger.warning("The broker accepts no messages for now", metadata: ["reason": "\(reason)"])
            case .unblocked: counts.isPublishing = true
            case .disconnected, .closed:
                counts.isPublishing = false
                // The publisher says it of those that it publishes again; they may be refused then.
                for (id, message) in unconfirmed where !message.waits {
                    unconfirmed[id]?.publication = message.publication.repeated
                }
            }
            finishTurn()
        }
    }

    package func marksWritten(_ batch: MarkBuffer.Batch, count: Int) {
        queue.async { [self] in
            for finding in marks.written(batch.id) { tell(finding) }
            counts.tokensMarked += count
            finishTurn()
        }
    }

    /// Tells of jobs that were cancelled just now, or of which that was taken back. What outputs have of the former and is
    /// not on the wire has failed; what waits here is asked about before it goes to an output.
    package func received(_ event: CancellationFeed.Event) {
        queue.async { [self] in
            cancelledJobs.apply(event)
            switch event {
            case .loaded(let all):
                for output in outputs.values where all.count > 0 { output.cancel { all.contains($0) } }
            case .changed(let changes):
                let cancelled = Set(changes.map(\.job).filter { cancelledJobs.contains($0) })
                for output in outputs.values where !cancelled.isEmpty { output.cancel { cancelled.contains($0) } }
            }
            finishTurn()
        }
    }

    /// Takes over what may change while a worker runs: limits and shares, not names, queues or delays.
    package func reconfigure(_ new: PipelineConfiguration) {
        queue.async { [self] in
            configuration.maximumInFlight = new.maximumInFlight
            configuration.appShare = new.appShare
            configuration.urgentShare = new.urgentShare
            configuration.chunkSize = new.chunkSize
            configuration.deduplicationWindow = new.deduplicationWindow
            configuration.atMostOnceWindow = new.atMostOnceWindow
            configuration.maximumJobBytes = new.maximumJobBytes
            configuration.maximumRecipients = new.maximumRecipients
            configuration.retry = RetryPolicy(
                delays: configuration.retry.delays, maximumAttempts: new.retry.maximumAttempts,
                maximumAge: new.retry.maximumAge)
            finishTurn()
        }
    }

    package func currentCounts() -> PipelineCounts {
        queue.sync {
            var counts = counts
            counts.isConsuming = !isDraining && consuming.count == JobQueue.all.count
            counts.jobsOpen = ledger.openEntries
            counts.obligationsOpen = ledger.owing
            counts.jobsWaiting = waiting.reduce(0) { $0 + $1.count }
            let oldest = (waiting.compactMap(\.oldestArrival) + ledger.openDeliveries.map(\.arrivedAt)).min()
            counts.oldestJobSeconds = oldest.map { Int(max(0, now.seconds - $0.seconds)) } ?? 0
            counts.suppressionTokens = suspects.knownTokens
            counts.suppressionBytes = suspects.filterBytes
            return counts
        }
    }

    /// Starts no more jobs, puts back those that wait, and calls `done` once all others are settled.
    package func drain(_ done: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            isDraining = true
            drained.append(done)
            for index in waiting.indices {
                for job in waiting[index].removeAll() { move(job.inbound, to: job.inbound.home) }
            }
            finishTurn()
        }
    }

    // MARK: Turns

    /// Every entry point ends here: what can start is started, what can leave leaves, in one batch each.
    func finishTurn() {
        dispatchPrecondition(condition: .onQueue(queue))
        startJobs()
        watchPrefetch()
        if marks.isFull { writeMarks() }
        writeClaims()
        lookUpSuspects()
        if !outbox.isEmpty {
            effects?.publish(outbox)
            outbox.removeAll(keepingCapacity: true)
        }
        if !acknowledgements.isEmpty {
            effects?.acknowledge(acknowledgements)
            acknowledgements.removeAll(keepingCapacity: true)
        }
        scheduleFlush()
        if isDraining, ledger.openEntries == 0 {
            for done in drained { done() }
            drained = []
        }
    }

    func use(of app: String) -> AppUse {
        if let use = uses[app] { return use }
        if uses.count >= Self.mostIdleApps { uses = uses.filter { !$1.isIdle } }
        let use = AppUse(app: app)
        uses[app] = use
        return use
    }

    /// Buffered outcomes, retries and marks leave when they have waited for company long enough.
    private func scheduleFlush() {
        guard !flushIsScheduled,
            !events.isEmpty || !retries.isEmpty || !unmarked.isEmpty || marks.canBeWritten
        else { return }
        flushIsScheduled = true
        effects?.wait(configuration.maximumWaitMilliseconds) { [self] in
            flushIsScheduled = false
            for batch in events.flush() { publish(batch) }
            for batch in unmarked.flush() { publishUnmarked(batch) }
            for batch in retries.flush() { publish(batch) }
            writeMarks()
            finishTurn()
        }
    }

    private func writeMarks() {
        guard marks.canBeWritten, let batch = marks.next(id: messages.nextID()) else { return }
        effects?.write(batch)
        // Without it nobody could tell what waits in the broker from what is forged.
        guard configuration.brokerUser != nil else { return }
        effects?.wait(configuration.longestWaitMilliseconds) { [self] in
            for finding in marks.delayed(batch.id) { hold(finding) }
            finishTurn()
        }
    }

    // MARK: What leaves

    func publish(_ batch: EventBatch) {
        let (shares, lane) = (batch.shares, batch.lane)
        let event = messages.event(batch, now: now)
        publish(event, event: HeldEvent(event, lane: lane, since: now), meeting: shares)
    }

    /// Publishes a message whose confirm meets these obligations.
    ///
    /// - Parameters:
    ///   - event: the event that it is, or that waits in it.
    ///   - isMove: it is a job as it came, or a chunk: the broker still has the job until it has taken it.
    func publish(
        _ publication: AMQPPublication, event: HeldEvent? = nil, isMove: Bool = false,
        meeting shares: [SettlingLedger<InboundJob>.Share]
    ) {
        ledger.expect(group: publication.id, for: shares)
        unconfirmed[publication.id] = UnconfirmedMessage(publication: publication, event: event, isMove: isMove)
        outbox.append(publication)
    }

    private func confirmed(_ id: UInt64) {
        unconfirmed[id] = nil
        goOnSplitting(after: id)
        settle(ledger.met(group: id))
    }

    func settle(_ inbound: [InboundJob]) {
        let now = now
        for inbound in inbound {
            queueUses[inbound.queue.index].settled(inbound.delivery.tag, at: now)
            if let use = inbound.use {
                add(-inbound.recipients, to: use, from: inbound.queue)
                use.settledJob(of: inbound.recipients, from: inbound.queue, at: now)
                queueUses[inbound.queue.index].pace.settled(inbound.recipients, at: now)
            }
            effects?.letGo(inbound.delivery)
            if inbound.isUntakeable {
                effects?.reject(inbound.delivery.tag)
                continue
            }
            counts.jobsAcknowledged += 1
            acknowledgements.append(AMQPAcknowledgement(inbound.delivery.tag))
        }
    }

    var now: Timestamp { effects?.now() ?? Timestamp(milliseconds: 0) }

    func outputNames() -> String { outputs.keys.sorted().joined(separator: ", ") }
}

extension PipelineCore: OutcomeSink {
    package func report(_ outcomes: [Outcome]) {
        queue.async { [self] in
            for outcome in outcomes { settle(outcome) }
            finishTurn()
        }
    }
}
