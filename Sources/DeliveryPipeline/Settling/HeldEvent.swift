package import AMQPClient
import PushModel

/// An event that could not be told when it was due: the results exchange would not take it, or its tokens could not be
/// marked yet. It waits in the delay queues as a message of its own, so that its jobs are done meanwhile.
///
/// Only workers write such messages: they are known by the user that the broker has validated.
struct HeldEvent: Sendable {
    /// As it goes to the results exchange.
    let event: AMQPPublication
    /// Whose queue it comes back through: that of its first outcome's job.
    let lane: Lane
    /// How often it could not be told.
    var failures = 0
    /// When that was for the first time.
    let since: Timestamp
    /// Its tokens are to be marked dead before it is told.
    var needsMarks = false

    init(_ event: AMQPPublication, lane: Lane, since: Timestamp, needsMarks: Bool = false) {
        self.event = event
        self.lane = lane
        self.since = since
        self.needsMarks = needsMarks
    }

    /// What such a message holds.
    ///
    /// - Returns: nil for any other, and for one that `worker`'s user has not written.
    init?(_ inbound: InboundJob, worker: String?, results exchange: String) {
        guard var told = inbound.delivery.properties.ofHeldEvent(worker: worker),
            let routingKey = told.headers[JobHeader.event]?.string
        else { return nil }
        needsMarks = told.headers[JobHeader.marks] == .boolean(true)
        (told.headers[JobHeader.event], told.headers[JobHeader.marks], told.userID) = (nil, nil, nil)
        event = AMQPPublication(
            id: 0, exchange: exchange, routingKey: routingKey, properties: told, body: inbound.delivery.body)
        lane = inbound.lane
        failures = inbound.attempt
        since = inbound.firstAttempt(now: inbound.arrivedAt)
    }

    /// The message that waits for it.
    func publication(id: UInt64, exchange: String, user: String, reason: String? = nil) -> AMQPPublication {
        var properties = event.properties
        properties.sign(as: user, for: nil)
        properties.headers[JobHeader.event] = .string(event.routingKey)
        properties.headers[JobHeader.marks] = needsMarks ? true : nil
        properties.headers[JobHeader.attempt] = .int64(Int64(failures))
        properties.headers[JobHeader.firstAttempt] = .int64(since.milliseconds)
        properties.headers[JobHeader.reason] = reason.map { .string($0) }
        return AMQPPublication(
            id: id, exchange: exchange, routingKey: lane.rawValue, isMandatory: true, properties: properties,
            body: event.body)
    }
}

extension AMQPProperties {
    /// What an event that waits in the broker keeps when it is published again.
    ///
    /// - Returns: nil for any other message, and for one that `worker`'s user has not written.
    package func ofHeldEvent(worker: String?) -> AMQPProperties? {
        guard let worker, userID == worker, headers[JobHeader.event]?.string != nil else { return nil }
        var kept = self
        kept.headers = AMQPFieldTable(
            entries: headers.entries.filter {
                [JobHeader.event, JobHeader.marks, JobHeader.traceparent, JobHeader.tracestate].contains($0.key)
                    || $0.key.hasPrefix("cloudEvents:")
            })
        return kept
    }
}
