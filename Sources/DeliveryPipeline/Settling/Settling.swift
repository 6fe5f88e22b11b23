import AMQPClient
import Contract
import PushModel
import Store

/// The component that turns outcomes into effects. Outcomes are collected into result events, retries into messages,
/// and marks of dead tokens into database statements. A value type without clock or I/O.
struct Settling {
    private(set) var configuration: PipelineConfiguration
    private var policy: OutcomePolicy
    private var events: EventBatcher
    /// The result events for dead tokens that cannot be marked at present.
    private var unmarked: EventBatcher
    private var retries = RetryBatcher()
    private var marks: MarkBuffer
    /// The current run of accepted pushes of one job whose publisher disabled `sent` events, or `nil` if there is none.
    private var sentRun: (job: RoutedJob, count: Int)?

    /// Creates the component for a configuration.
    ///
    /// - Parameter recipients: the form of the recipients' addresses, by output.
    init(_ configuration: PipelineConfiguration, recipients: [String: RecipientForm]) {
        marks = MarkBuffer(recipients: recipients)
        self.configuration = configuration
        policy = OutcomePolicy(retry: configuration.retry)
        events = EventBatcher(worker: configuration.worker, maximumOutcomes: configuration.maximumOutcomesPerEvent)
        unmarked = events
    }

    mutating func reconfigure(_ configuration: PipelineConfiguration) {
        self.configuration = configuration
        policy = OutcomePolicy(retry: configuration.retry)
    }

    var marksPending: Int { marks.count }
    var isMarkingDelayed: Bool { marks.isDelayed }

    /// Whether any outcomes, retries or marks are collected and wait for their batch.
    var isGathering: Bool { !events.isEmpty || !retries.isEmpty || !unmarked.isEmpty || marks.canBeWritten }

    // MARK: Outcomes

    /// Handles the outcomes of one or several recipients.
    mutating func settle(_ outcomes: some Sequence<Outcome>, _ turn: inout Turn) {
        for outcome in outcomes { settle(outcome, &turn) }
        countSentRun(&turn)
    }

    /// Handles one outcome. Accepted pushes are counted once per event or run, because they are by far the most
    /// frequent.
    private mutating func settle(_ outcome: Outcome, _ turn: inout Turn) {
        if outcome.verdict == .sent {
            turn.accepted(outcome)
        } else {
            configuration.meter.reported(outcome.verdict)
            if outcome.reason == Outcome.connectionFailed { turn.cannotConnect(outcome) }
        }
        turn.trace(outcome)
        let decision =
            isForPreferredWorkers(outcome, turn)
            ? .requeue : policy.decide(outcome, firstAttempt: turn.outbox.firstAttempt(of: outcome))
        configuration.meter.decided(decision, about: outcome)
        switch decision {
        case .tell(let kind, let reason, let detail): tell(outcome, as: kind, reason: reason, detail: detail, &turn)
        case .count:
            if sentRun?.job !== outcome.job { countSentRun(&turn) }
            sentRun = (outcome.job, (sentRun?.count ?? 0) + 1)
        case .mark(let reason): mark(outcome, reason: reason, &turn)
        case .retry(let seconds):
            turn.counts.retries += 1
            turn.note(.retried, outcome, reason: nil)
            configuration.meter.retried(seconds: seconds)
            countDeferred(outcome, turn)
            retries.add(outcome, seconds: seconds)
        case .hold(let seconds):
            turn.counts.pushesHeld += 1
            turn.counts.noteHold(at: turn.now, seconds: seconds)
            turn.note(.held, outcome, reason: nil)
            countDeferred(outcome, turn)
            retries.add(outcome, seconds: seconds)
        case .requeue:
            turn.counts.pushesRequeued += 1
            turn.note(.requeue, outcome, reason: nil)
            retries.add(outcome, seconds: 0)
        }
    }

    /// Returns whether a held push returns to its lane at once, so that the broker can deliver it to a worker with
    /// normal priority. This happens only the first time. If no worker can connect, the push waits in delay queues
    /// afterwards.
    private func isForPreferredWorkers(_ outcome: Outcome, _ turn: Turn) -> Bool {
        outcome.verdict == .hold && turn.priority.isLow(after: outcome)
            && turn.outbox.ledger.delivery(of: outcome.job.ledgerID)?.inbound.hasBeenTried == false
    }

    private func countDeferred(_ outcome: Outcome, _ turn: Turn) {
        guard let job = turn.outbox.ledger.delivery(of: outcome.job.ledgerID) else { return }
        configuration.meter.deferred(job)
    }

    private mutating func tell(
        _ outcome: Outcome, as kind: OutcomeKind, reason: String?, detail: String? = nil, _ turn: inout Turn
    ) {
        if kind != .sent { count(outcome, as: kind, reason: reason, &turn) }
        if let full = events.add(outcome, as: kind, reason: reason, detail: detail) { publish(full, &turn) }
    }

    private func publish(_ batch: EventBatch, _ turn: inout Turn) {
        if batch.key.kind == .sent { countSent(batch.count, batch.tally, &turn) }
        turn.outbox.publish(batch, turn.now)
    }

    private mutating func countSentRun(_ turn: inout Turn) {
        guard let (job, count) = sentRun else { return }
        sentRun = nil
        countSent(count, job.tally, &turn)
        if let open = turn.outbox.ledger.delivery(of: job.ledgerID) {
            configuration.meter.published(open, count, now: turn.now)
        }
        turn.met(.init(entry: job.ledgerID, count: count))
    }

    private func countSent(_ count: Int, _ tally: OutcomeTally, _ turn: inout Turn) {
        turn.counts.outcomesByKind[OutcomeKind.sent.place] += count
        configuration.meter.reported(.sent, count)
        tally.count(OutcomeKind.sent.place, count)
    }

    private func count(_ outcome: Outcome, as kind: OutcomeKind, reason: String?, _ turn: inout Turn) {
        turn.counts.outcomesByKind[kind.place] += 1
        turn.note(.outcome(kind), outcome, reason: reason)
        configuration.meter.settled(outcome, as: kind, reason: reason)
    }

    /// Marks a token as dead. Its outcome is published after the mark, because consumers may rely on the mark.
    private mutating func mark(_ outcome: Outcome, reason: String, _ turn: inout Turn) {
        let job = outcome.job.job
        let mark = TokenMark(
            key: outcome.job.key(of: outcome.recipient), unregisteredAt: outcome.foundDeadAt,
            reason: reason, registeredAt: job.recipients[outcome.recipient].registeredAt)
        turn.traceMark(of: outcome, isDone: false)
        if marks.isDelayed { hold(outcome, mark, &turn) } else { marks.add(mark, outcome) }
    }

    /// Publishes all collected outcomes and retries.
    mutating func flush(_ turn: inout Turn) {
        for batch in events.flush() { publish(batch, &turn) }
        for batch in unmarked.flush() { turn.publishUnmarked(batch) }
        for batch in retries.flush() { turn.outbox.publish(batch, turn.now, brokerUser: configuration.brokerUser) }
    }

    // MARK: Marks

    /// Returns the next batch of marks, or `nil` if there is none to write now.
    ///
    /// - Parameter isDue: whether the wait for more marks is over. If `false`, only a full batch is returned.
    mutating func nextMarks(isDue: Bool, _ turn: inout Turn) -> MarkBuffer.Batch? {
        guard isDue ? marks.canBeWritten : marks.isFull,
            let batch = marks.next(id: turn.outbox.messages.nextID())
        else { return nil }
        // The marks wait in this worker if no broker user is set, because a delayed result event would then be
        // indistinguishable from a forged one.
        if configuration.brokerUser != nil { turn.wait(.marks(batch.id), configuration.longestWaitMilliseconds) }
        return batch
    }

    mutating func marksWritten(_ id: UInt64, _ turn: inout Turn) {
        for finding in marks.written(id) {
            switch finding {
            case .outcome(let outcome, let mark):
                turn.traceMark(of: outcome, isDone: true)
                tell(outcome, as: .unregistered, reason: mark.reason, &turn)
            case .held(var event, let entry):
                event.needsMarks = false
                turn.publishAgain(event, entry: entry)
            }
        }
    }

    /// Moves the outcomes and result events of tokens that cannot be marked now to delay queues, so that their jobs are
    /// done.
    mutating func marksDelayed(_ id: UInt64, _ turn: inout Turn) {
        for finding in marks.delayed(id) {
            switch finding {
            case .outcome(let outcome, let mark): hold(outcome, mark, &turn)
            case .held(let event, let entry): turn.hold(event, entry: entry)
            }
        }
    }

    private mutating func hold(_ outcome: Outcome, _ mark: TokenMark, _ turn: inout Turn) {
        // The token was registered again after its death, so there is nothing to mark.
        if let registered = mark.registeredAt, registered >= mark.unregisteredAt {
            return tell(outcome, as: .unregistered, reason: mark.reason, &turn)
        }
        count(outcome, as: .unregistered, reason: mark.reason, &turn)
        if let full = unmarked.add(outcome, as: .unregistered, reason: mark.reason, detail: nil) {
            turn.publishUnmarked(full)
        }
    }

    // MARK: Delayed result events

    /// Handles a delayed result event that has returned from a delay queue. If its tokens are not marked yet, they are
    /// marked before the event is published.
    mutating func resume(_ held: DelayedEvent, _ job: OpenJob, _ turn: inout Turn) {
        guard held.needsMarks else {
            turn.counts.eventsRepeated += 1
            return turn.publishAgain(held, entry: job.entry)
        }
        if marks.isDelayed { turn.hold(held, entry: job.entry) } else { marks.add(held, entry: job.entry) }
    }
}

extension Outcome {
    /// The time at which the token was found dead, or the time of the outcome if the provider does not give one.
    var foundDeadAt: Timestamp { unregisteredAt ?? at }
}
