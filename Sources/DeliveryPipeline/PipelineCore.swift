package import AMQPClient
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
    let configuration: PipelineConfiguration
    let logger: Logger
    private(set) var outputs: [String: any Output]
    /// Set once, before the first delivery.
    package var effects: PipelineEffects?

    var waiting = LaneQueues()
    var ledger = SettlingLedger<InboundJob>()
    var messages: OutboundMessages
    var events: EventBatcher
    var retries = RetryBatcher()
    var marks = MarkBuffer()
    var suspects = SuspectBuffer()
    var counts = PipelineCounts()
    /// Published and not confirmed: kept in case the broker refuses it.
    var unconfirmed: [UInt64: AMQPPublication] = [:]
    /// When jobs of an app that can't be sent were last logged; only apps that exist are in it.
    var lastWarnings: [String: Timestamp] = [:]
    private var outbox: [AMQPPublication] = []
    private var acknowledgements: [AMQPAcknowledgement] = []
    private var flushIsScheduled = false
    private var isDraining = false
    private var drained: [@Sendable () -> Void] = []

    /// How long the broker is left alone after it would not take a message.
    private static let republishMilliseconds = 1_000

    package init(configuration: PipelineConfiguration, outputs: [any Output], logger: Logger) {
        self.configuration = configuration
        self.outputs = Dictionary(outputs.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        self.logger = logger
        messages = OutboundMessages(
            names: configuration.names, worker: configuration.worker, user: configuration.brokerUser)
        events = EventBatcher(
            worker: configuration.worker, maximumOutcomes: configuration.maximumOutcomesPerEvent)
    }

    // MARK: Entry points, from any thread

    package func received(_ event: AMQPConsumerEvent) {
        queue.async { [self] in
            switch event {
            case .connected: counts.isConsuming = true
            case .deliveries(let deliveries): for delivery in deliveries { waiting.append(delivery) }
            case .disconnected, .closed:
                counts.isConsuming = false
                // The broker delivers them again, here or elsewhere.
                _ = waiting.removeAll()
            case .stopped: counts.isConsuming = false
            }
            finishTurn()
        }
    }

    package func received(_ event: AMQPPublisherEvent) {
        queue.async { [self] in
            switch event {
            case .connected: counts.isPublishing = true
            case .confirmed(let ids): for id in ids { confirmed(id) }
            case .refused(let ids): publishAgain(ids, because: "the broker refused it")
            case .returned(let returned): publishAgain([returned.id], because: "\(returned.code) \(returned.text)")
            case .blocked(let reason):
                counts.isPublishing = false
                logger.warning("The broker accepts no messages for now", metadata: ["reason": "\(reason)"])
            case .unblocked: counts.isPublishing = true
            case .disconnected, .closed: counts.isPublishing = false
            }
            finishTurn()
        }
    }

    package func marksWritten(_ batch: MarkBuffer.Batch, count: Int) {
        queue.async { [self] in
            marks.written()
            counts.tokensMarked += count
            settle(ledger.met(group: batch.id))
            finishTurn()
        }
    }

    package func currentCounts() -> PipelineCounts {
        queue.sync {
            var counts = counts
            counts.jobsOpen = ledger.openEntries
            counts.obligationsOpen = ledger.owing
            counts.jobsWaiting = waiting.count
            counts.suppressionTokens = suspects.knownTokens
            counts.suppressionBytes = suspects.filterBytes
            return counts
        }
    }

    /// Starts no more jobs, gives back those not decoded, and calls `done` once all others are settled.
    package func drain(_ done: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            isDraining = true
            drained.append(done)
            finishTurn()
        }
    }

    // MARK: Turns

    /// Every entry point ends here: what can start is started, what can leave leaves, in one batch each.
    func finishTurn() {
        startJobs()
        if marks.isFull { writeMarks() }
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

    private func startJobs() {
        guard !isDraining else {
            let tags = waiting.removeAll().map(\.delivery.tag)
            if !tags.isEmpty { effects?.giveBack(tags) }
            return
        }
        while ledger.owing < configuration.maximumInFlight, let inbound = waiting.next() { start(inbound) }
    }

    /// Buffered outcomes, retries and marks leave when they have waited for company long enough.
    private func scheduleFlush() {
        guard !flushIsScheduled, !events.isEmpty || !retries.isEmpty || marks.canBeWritten else { return }
        flushIsScheduled = true
        effects?.wait(configuration.maximumWaitMilliseconds) { [self] in
            flushIsScheduled = false
            for batch in events.flush() { publish(batch) }
            for batch in retries.flush() { publish(batch) }
            writeMarks()
            finishTurn()
        }
    }

    private func writeMarks() {
        guard let (batch, shares) = marks.next(id: messages.nextID()) else { return }
        ledger.expect(group: batch.id, for: shares)
        effects?.write(batch)
    }

    // MARK: What leaves

    func publish(_ batch: EventBatch) {
        let shares = batch.shares
        publish(messages.event(batch, now: now), meeting: shares)
    }

    /// Publishes a message whose confirm meets these obligations.
    func publish(_ publication: AMQPPublication, meeting shares: [SettlingLedger<InboundJob>.Share]) {
        ledger.expect(group: publication.id, for: shares)
        unconfirmed[publication.id] = publication
        outbox.append(publication)
    }

    private func confirmed(_ id: UInt64) {
        unconfirmed[id] = nil
        settle(ledger.met(group: id))
    }

    /// Nothing is given up: what the broker would not take is offered again, and its job stays open.
    private func publishAgain(_ ids: [UInt64], because reason: String) {
        let publications = ids.compactMap { unconfirmed[$0] }
        guard let first = publications.first else { return }
        logger.error(
            "A message was not accepted by the broker, trying again in a second",
            metadata: ["exchange": "\(first.exchange)", "messages": "\(publications.count)", "reason": "\(reason)"])
        effects?.wait(Self.republishMilliseconds) { [self] in
            outbox.append(contentsOf: publications)
            finishTurn()
        }
    }

    func settle(_ inbound: [InboundJob]) {
        counts.jobsAcknowledged += inbound.count
        for inbound in inbound { acknowledgements.append(AMQPAcknowledgement(inbound.delivery.tag)) }
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
