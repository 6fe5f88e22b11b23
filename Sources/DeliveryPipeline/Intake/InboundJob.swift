package import AMQPClient
import Foundation
package import PushModel
import Traces

/// A delivery, and what is known about its job before the body is decoded.
package struct InboundJob: Sendable {
    package let delivery: AMQPDelivery
    /// The delivery that is settled when the job ends: the original one, or a redelivery after a lost connection.
    var tag: AMQPDeliveryTag
    package let lane: Lane
    let queue: JobQueue
    /// The reason why the broker dropped the message from its queue, or `nil` if it did not.
    package let drop: Drop?
    /// When this worker first received the message.
    let arrivedAt: Timestamp
    /// The time at which this worker received the delivery that is open now. The broker's acknowledgement timeout
    /// starts then.
    var deliveredAt: Timestamp
    /// The number of earlier deliveries that were not settled, as the broker counted them when it made the delivery
    /// that is open now.
    package var earlierDeliveries: Int
    /// The time at which the job was first published, if that is known, and otherwise the time of its arrival.
    let since: Timestamp
    /// Whether ``since`` is the time of publication.
    let isDated: Bool
    /// Whether a worker published the message. Headers about splitting are only trusted from workers.
    let isWorkers: Bool
    /// Whether another delivery may already have started this job, because its name is claimed or because the broker
    /// may have copied the message. The claim may come from an earlier request of this job that was never answered.
    var mayBeCopy = false

    /// The queue of the delivery that is settled when the job ends. After a lost connection, this may be the queue of
    /// dropped jobs.
    var source: JobQueue { JobQueue(tagIndex: tag.queueIndex) ?? queue }

    /// Creates the job of a delivery.
    ///
    /// - Parameter worker: the broker user that workers publish as, or `nil` if the broker does not validate users.
    /// - Returns: `nil` if the delivery comes from an unknown queue.
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
            case .lane(let lane), .overflow(let lane): lane
            case .suspects: Lane(rawValue: delivery.properties.headers[JobHeader.lane]?.string ?? "") ?? .normal
            case .dropped: Lane(of: delivery) ?? .normal
            }
    }

    /// Returns the time of publication: from a worker's header, from the broker's message interceptor, or from the
    /// publisher. A future time is replaced by the current time, because the clock must be wrong. A time more than 30
    /// days ago is ignored.
    private static func publication(_ properties: AMQPProperties, now: Timestamp) -> Timestamp? {
        let carried = properties.headers[JobHeader.since]?.integer ?? properties.headers["timestamp_in_ms"]?.integer
        let seconds = properties.timestamp.flatMap { Int64(exactly: $0) }.flatMap { $0 < 1 << 40 ? $0 : nil }
        guard let claimed = carried ?? seconds.map({ $0 * 1000 }) else { return nil }
        let oldest = now.milliseconds - 30 * 86_400_000
        return claimed < oldest ? nil : Timestamp(milliseconds: min(claimed, now.milliseconds))
    }

    /// The routing key under which the job is dead-lettered: its lane, or the publisher's key if that is not a lane.
    var deadKey: String {
        drop != nil && Lane(of: delivery) == nil ? delivery.routingKey.cut(toBytes: 255) : lane.rawValue
    }

    /// The destination of the job when its worker stops: its lane or, for a suspect, the suspects.
    var home: OutboundMessages.Destination { queue == .suspects ? .suspects : .lane }

    /// The number of the attempt that this delivery is for, from 1.
    package var attempt: Int { max(1, Int(clamping: delivery.properties.headers[JobHeader.attempt]?.integer ?? 1)) }

    var hasBeenTried: Bool { delivery.properties.headers[JobHeader.firstAttempt] != nil }

    /// Returns the time of the first attempt, or the current time if this is the first one. A future time is replaced
    /// by the current time, because it would keep the job forever.
    package func firstAttempt(now: Timestamp) -> Timestamp {
        let claimed = delivery.properties.headers[JobHeader.firstAttempt]?.integer ?? now.milliseconds
        return Timestamp(milliseconds: min(max(claimed, 0), now.milliseconds))
    }

    /// The trace context of the message (W3C Trace Context). The current version has 55 characters. A value over 255
    /// bytes is ignored, because it would not fit into the headers of later messages.
    package var traceparent: String? {
        delivery.properties.headers[JobHeader.traceparent]?.string.flatMap { $0.utf8.count <= 255 ? $0 : nil }
    }

    /// The trace state of the message (W3C Trace Context), or `nil` if it is invalid.
    var tracestate: String? {
        delivery.properties.headers[JobHeader.tracestate]?.string.flatMap { TraceState.isGood($0) ? $0 : nil }
    }

    package var trace: TraceHeaders? { traceparent.map { TraceHeaders(traceparent: $0, tracestate: tracestate) } }

    package func publisher(worker: String?) -> String? { delivery.properties.publisher(worker: worker) }

    /// Whether some pushes of the job may already have been sent.
    package var wasSentBefore: Bool {
        wasDeliveredBefore || mayBeCopy || delivery.properties.headers[JobHeader.redelivered] == .boolean(true)
    }

    /// Whether this message itself was delivered before, and not only the job that it belongs to. In that case, the
    /// worker that claimed the job may be gone, and this delivery must report the outcome.
    var comesAgain: Bool {
        wasDeliveredBefore || delivery.properties.headers[JobHeader.deliveredBefore] == .boolean(true)
    }

    /// Whether this message was delivered before. The broker has moved a dropped message, so the `redelivered` flag of
    /// this delivery does not refer to the original queue.
    private var wasDeliveredBefore: Bool { drop?.wasDelivered ?? delivery.isRedelivered }

    /// Whether a worker received the job from this queue and then died. RabbitMQ 4 sets the delivery count of the
    /// original queue on the first delivery of a dead letter. That count exceeds the original queue's limit, and later
    /// counts start at one.
    var wasLookedAt: Bool {
        delivery.isRedelivered && (drop == nil || earlierDeliveries <= PipelineNames.suspectDeliveries)
    }

    /// The name of the part that a worker made of a job: a chunk, or the recipients that are left for another attempt.
    var part: String? { delivery.properties.headers[JobHeader.part]?.string }

    var isChunk: Bool { isWorkers && delivery.properties.headers[JobHeader.chunk] == .boolean(true) }

    /// The number of recipients in each chunk, if the job was already given a name to be split under.
    var chunkSize: Int? {
        guard isWorkers, part != nil else { return nil }
        return delivery.properties.headers[JobHeader.chunkSize]?.integer.flatMap { $0 > 0 ? Int(clamping: $0) : nil }
    }

    /// The time slot that a worker assigned to the job. A slot too far in the future is ignored, because it comes from
    /// a wrong clock.
    var slot: Pacer.Slot? {
        let latest = arrivedAt.milliseconds + Int64(PaceLimit.longest) * 1_000
        guard isWorkers, let due = delivery.properties.headers[JobHeader.slot]?.integer, (0...latest).contains(due),
            let rate = delivery.properties.headers[JobHeader.slotRate]?.integer
        else { return nil }
        return Pacer.Slot(due: Timestamp(milliseconds: due), rate: Int(clamping: rate))
    }

    /// The time for which the job has waited for a rate limit, in seconds.
    var paced: Int {
        guard isWorkers, let seconds = delivery.properties.headers[JobHeader.paced]?.integer else { return 0 }
        return Int(min(max(0, seconds), Int64(PaceLimit.longest)))
    }

    /// The owner of an earlier claim request for this job, made before the job was delayed.
    var earlierClaimant: String? {
        delivery.properties.headers[JobHeader.claim]?.string.flatMap { UUID(uuidString: $0)?.uuidString.lowercased() }
    }

    /// Returns the number of earlier deliveries that were not settled (rabbitmq.com, "Quorum Queues"). The broker sets
    /// or overwrites the header on each message that it redelivers. On other messages the header comes from a
    /// publisher. From RabbitMQ 4.3 on, `x-acquired-count` counts all deliveries, and `x-delivery-count` omits those
    /// that timed out.
    private static func earlierDeliveries(_ delivery: AMQPDelivery) -> Int {
        guard delivery.isRedelivered else { return 0 }
        let headers = delivery.properties.headers
        return max(0, Int(clamping: (headers["x-acquired-count"] ?? headers["x-delivery-count"])?.integer ?? 0))
    }
}
