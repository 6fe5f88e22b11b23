import Foundations
import AMQPClient
import Logging
import PushModel

/// The publishing of delayed result events.
extension Turn {
    mutating func publishAgain(_ held: DelayedEvent, entry: Int) {
        outbox.publish(outbox.messages.event(held), event: held, meeting: [.init(entry: entry, count: 1)])
    }

    /// Delays a result event whose tokens still cannot be marked.
    mutating func hold(_ held: DelayedEvent, entry: Int) {
        var held = held
        held.failures += 1
        publishWaiting(held, meeting: [.init(entry: entry, count: 1)])
    }

    mutating func publishUnmarked(_ batch: EventBatch) {
        let (shares, lane) = (batch.shares, batch.lane)
        var held = DelayedEvent(outbox.messages.event(batch, now: now), lane: lane, since: now, needsMarks: true)
        held.failures = 2
        publishWaiting(held, meeting: shares)
    }

    private mutating func publishWaiting(_ held: DelayedEvent, meeting shares: [Outbox.Share]) {
        let reason = reasonToGiveUp(held, "its tokens cannot be marked")
        guard let publication = outbox.messages.waiting(held, id: nil, reason: reason) else { return }
        outbox.publish(publication, event: held, meeting: shares)
    }

    /// Delays a result event that the results exchange refused. The new message keeps the id and the pending
    /// settlements of the refused one.
    ///
    /// - Returns: `false` if the event cannot wait in the broker.
    mutating func hold(_ event: DelayedEvent, insteadOf id: UInt64, because reason: String) -> Bool {
        guard let publication = outbox.messages.waiting(event, id: id, reason: reasonToGiveUp(event, reason)) else {
            return false
        }
        outbox.replace(by: publication, event: event)
        return true
    }

    /// Returns the reason for giving up on a result event, or `nil` to delay the event. An event is given up on after
    /// the time during which a push would be retried.
    private mutating func reasonToGiveUp(_ held: DelayedEvent, _ reason: String) -> String? {
        // An event can be neither delayed nor dead-lettered if the broker user is unknown.
        let (age, canDelay) = (now.seconds - held.since.seconds, outbox.messages.canDelayEvents)
        guard canDelay, age >= outbox.longestForEvents else {
            counts.eventsHeld += canDelay ? 1 : 0
            return nil
        }
        counts.eventsDead += 1
        logger.error(
            .eventUnpublishable, "Cannot publish result event",
            metadata: ["event": "\(held.event.routingKey)", "reason": "\(reason)"])
        return "result event that could not be published for \(age) s: \(reason)"
    }
}
