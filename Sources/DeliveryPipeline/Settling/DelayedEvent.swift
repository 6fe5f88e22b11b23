package import AMQPClient
import Contract
import PushModel

/// A result event that can be delayed if the results exchange refuses it or its tokens cannot be marked. The delayed
/// event waits in the delay queues as a separate message, so that its jobs can be acknowledged.
///
/// Only workers write such messages. A worker recognizes them by their user, which the broker has validated.
struct DelayedEvent: Sendable {
    /// The result event, as a message to the results exchange.
    let event: AMQPPublication
    /// The lane through which the message returns, which is the lane of the first outcome's job.
    let lane: Lane
    /// The number of failed attempts to publish the event or to mark its tokens.
    var failures = 0
    /// The time at which the event was first due to be published.
    let since: Timestamp
    /// Whether the event's tokens must be marked dead before it is published.
    var needsMarks = false

    init(_ event: AMQPPublication, lane: Lane, since: Timestamp, needsMarks: Bool = false) {
        self.event = event
        self.lane = lane
        self.since = since
        self.needsMarks = needsMarks
    }

    /// Reads the delayed result event in a delivery, or returns `nil` if the message contains none or if its user is
    /// not `worker`.
    init?(_ inbound: InboundJob, worker: String?, results exchange: String) {
        guard var properties = inbound.delivery.properties.ofHeldEvent(worker: worker),
            let routingKey = properties.headers[JobHeader.event]?.string
        else { return nil }
        needsMarks = properties.headers[JobHeader.marks] == .boolean(true)
        (properties.headers[JobHeader.event], properties.headers[JobHeader.marks], properties.userID) = (nil, nil, nil)
        event = AMQPPublication(
            id: 0, exchange: exchange, routingKey: routingKey, properties: properties, body: inbound.delivery.body)
        lane = inbound.lane
        failures = inbound.attempt
        since = inbound.firstAttempt(now: inbound.arrivedAt)
    }

    /// Returns the message that carries the event while it waits, or that dead-letters it.
    ///
    /// - Parameter reason: the reason for dead-lettering the event, or `nil` to delay it.
    func publication(id: UInt64, exchange: String, user: String, reason: String? = nil) -> AMQPPublication {
        var properties = event.properties
        properties.sign(as: user, for: nil)
        properties.headers[JobHeader.event] = .string(event.routingKey)
        properties.headers[JobHeader.marks] = needsMarks ? true : nil
        properties.headers[JobHeader.attempt] = .int64(Int64(failures))
        properties.headers[JobHeader.firstAttempt] = .int64(since.milliseconds)
        properties.headers[JobHeader.reason] = reason.map { .string($0) }
        return AMQPPublication(
            id: id, exchange: exchange,
            routingKey: reason == nil ? PipelineNames.returningKey(to: lane) : lane.rawValue, isMandatory: true,
            properties: properties,
            body: event.body)
    }
}

extension AMQPProperties {
    /// Returns the properties of a delayed result event, with only those headers that are needed to publish or replay
    /// it. Returns `nil` if the message contains no delayed result event, or if its user is not `worker`.
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
