package import AMQPClient
package import Contract
import Foundation
package import PushModel
import Traces

/// A delivery with the properties of its job that can be read without decoding the body.
package struct InboundJob: Sendable {
    package let delivery: AMQPDelivery
    /// The tag of the delivery to settle when the job ends: the original delivery, or a redelivery after a lost
    /// connection.
    var tag: AMQPDeliveryTag
    package let lane: Lane
    let queue: JobQueue
    /// The reason why the broker dropped the message from its queue or could not route it, or `nil` if it did neither.
    package let drop: Drop?
    /// The time at which this worker first received the message.
    let arrivedAt: Timestamp
    /// The time at which this worker received the delivery with ``tag``. The broker's acknowledgement timeout starts
    /// then.
    var deliveredAt: Timestamp
    /// The number of earlier deliveries of the message that were not settled, as counted by the broker for the delivery
    /// with ``tag``.
    package var earlierDeliveries: Int
    /// The time at which the job was first published, or the time of its arrival if the time of publication is unknown.
    let since: Timestamp
    /// Whether ``since`` was read from the message, and is not the time of arrival.
    let isDated: Bool
    /// Whether a worker published the message. If the broker does not validate users, this is assumed of every message.
    /// Some headers, such as those about splitting, are only trusted from workers.
    let isWorkers: Bool
    /// Whether another delivery may already have started this job. This is possible if the job's name is claimed, or if
    /// the broker may have duplicated the message. The claim may also be this job's own, from an earlier request whose
    /// answer did not arrive.
    var mayBeCopy = false

    /// The queue of the delivery that is settled when the job ends. After a lost connection, this may be the queue of
    /// dropped jobs.
    var source: JobQueue { JobQueue(tagIndex: tag.queueIndex) ?? queue }

    /// Creates the job of a delivery, or returns `nil` if the delivery comes from an unknown queue.
    ///
    /// - Parameter worker: the broker user that workers publish as, or `nil` if the broker does not validate users.
    package init?(
        _ delivery: AMQPDelivery, at now: Timestamp = Timestamp(milliseconds: 0), worker: String? = nil
    ) {
        guard let queue = JobQueue(tagIndex: delivery.tag.queueIndex) else { return nil }
        self.queue = queue
        self.delivery = delivery
        tag = delivery.tag
        drop = queue == .dropped ? Drop(of: delivery) : nil
        arrivedAt = now
        deliveredAt = now
        earlierDeliveries = Self.earlierDeliveries(delivery)
        let published = Self.publication(delivery.properties, now: now)
        (since, isDated) = (published ?? now, published != nil)
        isWorkers = worker == nil || delivery.properties.userID == worker
        lane =
            switch queue {
            case .lane(let lane), .returned(let lane), .waiting(let lane, _): lane
            case .suspects: Lane(rawValue: delivery.properties.headers[JobHeader.lane]?.string ?? "") ?? .normal
            case .dropped: Lane(of: delivery) ?? .normal
            }
    }

    /// Returns the time of publication, or `nil` if it is unknown or more than 30 days ago. It comes from a worker's
    /// header, from the broker's message interceptor, or from the publisher. A future time is replaced by the current
    /// time, because it comes from a wrong clock.
    private static func publication(_ properties: AMQPProperties, now: Timestamp) -> Timestamp? {
        let carried = properties.headers[JobHeader.since]?.integer ?? properties.headers["timestamp_in_ms"]?.integer
        let seconds = properties.timestamp.flatMap { Int64(exactly: $0) }.flatMap { $0 < 1 << 40 ? $0 : nil }
        guard let claimed = carried ?? seconds.map({ $0 * 1000 }) else { return nil }
        let oldest = now.milliseconds - 30 * 86_400_000
        return claimed < oldest ? nil : Timestamp(milliseconds: min(claimed, now.milliseconds))
    }

    /// The routing key for dead-lettering the job: its lane, or the publisher's key if that is not a lane.
    var deadKey: String {
        drop != nil && Lane(of: delivery) == nil ? delivery.routingKey.cut(toBytes: 255) : lane.rawValue
    }

    /// The destination of the job when a worker requeues it.
    var home: OutboundMessages.Destination { queue == .suspects ? .suspects : .returned }

    /// The number of this attempt, starting at 1.
    package var attempt: Int { max(1, Int(clamping: delivery.properties.headers[JobHeader.attempt]?.integer ?? 1)) }

    var hasBeenTried: Bool { delivery.properties.headers[JobHeader.firstAttempt] != nil }

    /// Returns the time of the first attempt, or the current time if this is the first one. A future time is replaced
    /// by the current time, because the job would otherwise be retried forever. The time during which the job waited
    /// for a rate limit is added, because it does not count towards the time during which the job is retried.
    package func firstAttempt(now: Timestamp) -> Timestamp {
        let claimed = delivery.properties.headers[JobHeader.firstAttempt]?.integer ?? now.milliseconds
        let waited = waitingSince.map { max(0, arrivedAt.milliseconds - $0.milliseconds) } ?? 0
        // A publisher may set the header to any number, so the number is limited before the addition.
        return Timestamp(milliseconds: min(min(max(claimed, 0), now.milliseconds) + waited, now.milliseconds))
    }

    /// The time since which the job has waited for the rate limit of its app, or `nil` if it has not waited. A future
    /// time is ignored, because it comes from a wrong clock.
    var waitingSince: Timestamp? {
        guard isWorkers, let since = delivery.properties.headers[JobHeader.waitingSince]?.integer,
            (0...arrivedAt.milliseconds).contains(since)
        else { return nil }
        return Timestamp(milliseconds: since)
    }

    /// The `traceparent` header of the message (W3C Trace Context), or `nil` if it is missing or longer than 255 bytes.
    /// The current version of the standard uses 55 bytes. A value above 255 bytes would not be copied to the job's
    /// later messages.
    package var traceparent: String? {
        delivery.properties.headers[JobHeader.traceparent]?.string.flatMap { $0.utf8.count <= 255 ? $0 : nil }
    }

    /// The `tracestate` header of the message (W3C Trace Context), or `nil` if it is missing or invalid.
    var tracestate: String? {
        delivery.properties.headers[JobHeader.tracestate]?.string.flatMap { TraceState.isGood($0) ? $0 : nil }
    }

    package var trace: TraceHeaders? { traceparent.map { TraceHeaders(traceparent: $0, tracestate: tracestate) } }

    package func publisher(worker: String?) -> String? { delivery.properties.publisher(worker: worker) }

    /// Whether some pushes of the job may already have been sent.
    package var wasSentBefore: Bool {
        wasDeliveredBefore || mayBeCopy || delivery.properties.headers[JobHeader.redelivered] == .boolean(true)
    }

    /// Whether this message, or the message from which it was moved, was delivered before. Copies that the publisher
    /// published do not count. The worker that received an earlier delivery may have claimed the job and died, so this
    /// delivery must report the outcome.
    var comesAgain: Bool {
        wasDeliveredBefore || delivery.properties.headers[JobHeader.deliveredBefore] == .boolean(true)
    }

    /// Whether this message was delivered before. For a dropped message, the drop reason determines this. The broker
    /// moved the message, so the `redelivered` flag of the delivery does not refer to the original queue.
    private var wasDeliveredBefore: Bool { drop?.wasDelivered ?? delivery.isRedelivered }

    /// Whether a worker received the job from this queue before, and may have died because of it. On the first delivery
    /// of a dropped message, RabbitMQ 4 reports the delivery count of the original queue, which exceeds that queue's
    /// limit. Later counts start at one.
    var wasLookedAt: Bool {
        delivery.isRedelivered && (drop == nil || earlierDeliveries <= PipelineNames.suspectDeliveries)
    }

    /// The name that a worker gave to this message, or `nil` if it gave none. A named message is a chunk, the
    /// recipients that need another attempt, or a complete job under a new name.
    var part: String? { delivery.properties.headers[JobHeader.part]?.string }

    var isChunk: Bool { isWorkers && delivery.properties.headers[JobHeader.chunk] == .boolean(true) }

    /// The number of recipients in each chunk, or `nil` if no worker has decided to split the job.
    var chunkSize: Int? {
        guard isWorkers, part != nil else { return nil }
        return delivery.properties.headers[JobHeader.chunkSize]?.integer.flatMap { $0 > 0 ? Int(clamping: $0) : nil }
    }

    /// The time slot that a worker assigned to the job, or `nil` if there is none. A slot too far in the future is
    /// ignored, because it comes from a wrong clock.
    var slot: RateLimiter.Slot? {
        let latest = arrivedAt.milliseconds + Int64(RateWaitLimit.longest) * 1_000
        guard isWorkers, let due = delivery.properties.headers[JobHeader.slot]?.integer, (0...latest).contains(due),
            let rate = delivery.properties.headers[JobHeader.slotRate]?.integer
        else { return nil }
        return RateLimiter.Slot(due: Timestamp(milliseconds: due), rate: Int(clamping: rate))
    }

    /// The time that the job has waited in delay queues for its turn, in seconds.
    var paced: Int {
        guard isWorkers, let seconds = delivery.properties.headers[JobHeader.paced]?.integer else { return 0 }
        return Int(min(max(0, seconds), Int64(RateWaitLimit.longest)))
    }

    /// The owner in an earlier claim request for this job, which was made before the job was delayed. It is `nil` if
    /// there was no such request.
    var earlierClaimant: String? {
        delivery.properties.headers[JobHeader.claim]?.string.flatMap { UUID(uuidString: $0)?.uuidString.lowercased() }
    }

    /// Returns the number of earlier deliveries that were not settled (rabbitmq.com, "Quorum Queues"). The broker sets
    /// or overwrites the count in the headers of each message that it redelivers. On other messages, the headers come
    /// from a publisher and are ignored. From RabbitMQ 4.3 on, `x-acquired-count` counts all deliveries, and
    /// `x-delivery-count` omits those that timed out.
    private static func earlierDeliveries(_ delivery: AMQPDelivery) -> Int {
        guard delivery.isRedelivered else { return 0 }
        let headers = delivery.properties.headers
        return max(0, Int(clamping: (headers["x-acquired-count"] ?? headers["x-delivery-count"])?.integer ?? 0))
    }
}
