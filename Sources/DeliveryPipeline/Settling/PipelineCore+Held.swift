import AMQPClient
import CredentialStore
import Logging
import PushModel

/// Events that wait in the broker.
extension PipelineCore {
    func heldEvent(_ inbound: InboundJob) -> HeldEvent? {
        HeldEvent(inbound, worker: configuration.brokerUser, results: configuration.names.results)
    }

    /// It has come back: its tokens are marked first, if they are not yet; then it is told.
    func resume(_ held: HeldEvent, _ job: OpenJob) {
        guard held.needsMarks else {
            counts.eventsRepeated += 1
            return publishAgain(held, entry: job.entry)
        }
        if marks.isDelayed { hold(.held(held, entry: job.entry)) } else { marks.add(held, entry: job.entry) }
    }

    /// The tokens are marked.
    func tell(_ finding: MarkBuffer.Finding) {
        switch finding {
        case .outcome(let outcome, let mark): tell(outcome, as: .unregistered, reason: mark.reason)
        case .held(var event, let entry):
            event.needsMarks = false
            publishAgain(event, entry: entry)
        }
    }

    private func publishAgain(_ held: HeldEvent, entry: Int) {
        outbox.publish(outbox.messages.event(held), event: held, meeting: [.init(entry: entry, count: 1)])
    }

    // MARK: Holding

    /// The tokens can't be marked now: what is known of them waits in the broker, and the jobs are done.
    func hold(_ finding: MarkBuffer.Finding) {
        switch finding {
        case .outcome(let outcome, let mark): hold(outcome, reason: mark.reason)
        case .held(var event, let entry):
            event.failures += 1
            wait(event, meeting: [.init(entry: entry, count: 1)])
        }
    }

    func hold(_ outcome: Outcome, reason: String) {
        // Registered since: there is nothing to mark.
        if let registered = outcome.job.job.recipients[outcome.recipient].registeredAt,
            registered >= outcome.foundDeadAt
        {
            return tell(outcome, as: .unregistered, reason: reason)
        }
        count(.unregistered)
        if let full = unmarked.add(outcome, as: .unregistered, reason: reason, detail: nil) { publishUnmarked(full) }
    }

    func publishUnmarked(_ batch: EventBatch) {
        let (shares, lane) = (batch.shares, batch.lane)
        var held = HeldEvent(outbox.messages.event(batch, now: now), lane: lane, since: now, needsMarks: true)
        held.failures = 2
        wait(held, meeting: shares)
    }

    private func wait(_ held: HeldEvent, meeting shares: [Outbox.Share]) {
        let reason = reasonToGiveUp(held, "its tokens can't be marked")
        guard let publication = outbox.messages.waiting(held, id: nil, reason: reason) else { return }
        outbox.publish(publication, event: held, meeting: shares)
    }

    /// An event that the results exchange would not take; its group stays the same.
    ///
    /// - Returns: false if it can't wait in the broker.
    func hold(_ event: HeldEvent, id: UInt64, because reason: String) -> Bool {
        guard let publication = outbox.messages.waiting(event, id: id, reason: reasonToGiveUp(event, reason)) else {
            return false
        }
        outbox.replace(by: publication, event: event)
        return true
    }

    /// It has been tried for as long as a push would be.
    private func reasonToGiveUp(_ held: HeldEvent, _ reason: String) -> String? {
        let age = now.seconds - held.since.seconds
        guard age >= configuration.retry.maximumAge else {
            counts.eventsHeld += 1
            return nil
        }
        counts.eventsDead += 1
        logger.error(
            "An event could not be told", metadata: ["event": "\(held.event.routingKey)", "reason": "\(reason)"])
        return "an event that could not be told for \(age) s: \(reason)"
    }
}
