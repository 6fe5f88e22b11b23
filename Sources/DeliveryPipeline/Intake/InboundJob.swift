package import AMQPClient
import Foundation
package import PushModel
import Traces

/// A delivery, and what is known of it before its body is looked at.
package struct InboundJob: Sendable {
    package let delivery: AMQPDelivery
    /// The delivery that is settled when the job ends: the original one, or a redelivery after a lost connection.
    var tag: AMQPDeliveryTag
    package let lane: Lane
    let queue: JobQueue
    /// Why it is among those that the broker has taken out of their queues.
    package let drop: Drop?
    /// When this worker first received the message.
    let arrivedAt: Timestamp
    /// When this worker got the delivery that is open now: the broker waits for its acknowledgement from then on.
    var deliveredAt: Timestamp
    /// The number of earlier deliveries that were not settled, as the broker counted them when it made the delivery
    /// that is open now.
    package var earlierDeliveries: Int
    /// When it was first published, as far as that is known, else when it was first received.
    let since: Timestamp
    /// That is when it was published.
    let isDated: Bool
    /// A worker has published it: how a job is split is believed from nobody else.
    let isWorkers: Bool
    /// Its name has been claimed, perhaps by an asking of its own that was never answered.
    var mayBeCopy = false

    /// The queue of the delivery that is settled when the job ends. After a lost connection, this may be the queue of
    /// dropped jobs.
    var source: JobQueue { JobQueue(tagIndex: tag.queueIndex) ?? queue }

    /// - Parameter worker: the broker's user that workers publish as; nil: the broker validates nobody.
    /// - Returns: nil for a queue that this consumer does not know.
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

    /// What a worker has carried on, else the broker's own word (a message interceptor's), else the publisher's. A time
    /// to come is a clock that is ahead; one of months ago is none.
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

    /// Where a worker that stops puts it back: to its lane, but what may end workers to the suspects.
    var home: OutboundMessages.Destination { queue == .suspects ? .suspects : .lane }

    /// The attempt this delivery is, from 1.
    package var attempt: Int { max(1, Int(clamping: delivery.properties.headers[JobHeader.attempt]?.integer ?? 1)) }

    var hasBeenTried: Bool { delivery.properties.headers[JobHeader.firstAttempt] != nil }

    /// When the first attempt was; now, if this is it. A time to come is a mistake, and would keep the job for ever.
    package func firstAttempt(now: Timestamp) -> Timestamp {
        let claimed = delivery.properties.headers[JobHeader.firstAttempt]?.integer ?? now.milliseconds
        return Timestamp(milliseconds: min(max(claimed, 0), now.milliseconds))
    }

    /// W3C Trace Context. Today's has 55 characters; what is far longer is none, and would not fit into the
    /// headers of what it is carried into.
    package var traceparent: String? {
        delivery.properties.headers[JobHeader.traceparent]?.string.flatMap { $0.utf8.count <= 255 ? $0 : nil }
    }

    /// The same, of what goes with it.
    var tracestate: String? {
        delivery.properties.headers[JobHeader.tracestate]?.string.flatMap { TraceState.isGood($0) ? $0 : nil }
    }

    package var trace: TraceHeaders? { traceparent.map { TraceHeaders(traceparent: $0, tracestate: tracestate) } }

    package func publisher(worker: String?) -> String? { delivery.properties.publisher(worker: worker) }

    /// Some of its pushes may have been sent already.
    package var wasSentBefore: Bool {
        wasDeliveredBefore || mayBeCopy || delivery.properties.headers[JobHeader.redelivered] == .boolean(true)
    }

    /// This message itself, and not only the job that it is a part of, was delivered before: who had claimed it may be
    /// gone, and nobody else settles it.
    var comesAgain: Bool {
        wasDeliveredBefore || delivery.properties.headers[JobHeader.deliveredBefore] == .boolean(true)
    }

    /// The broker has moved a dropped job: its word on this delivery is not one on the job's.
    private var wasDeliveredBefore: Bool { drop?.wasDelivered ?? delivery.isRedelivered }

    /// A worker has had it from this queue, and was gone. RabbitMQ 4 says the count of the queue where it died with the
    /// first delivery of a dead letter, too, which is above the limit of that queue; then it counts from one.
    var wasLookedAt: Bool {
        delivery.isRedelivered && (drop == nil || earlierDeliveries <= PipelineNames.suspectDeliveries)
    }

    /// What a worker has made of a job: a chunk, or what was left for another attempt.
    var part: String? { delivery.properties.headers[JobHeader.part]?.string }

    var isChunk: Bool { isWorkers && delivery.properties.headers[JobHeader.chunk] == .boolean(true) }

    /// How many recipients a chunk is to have, of a job that has got its name to be split under.
    var chunkSize: Int? {
        guard isWorkers, part != nil else { return nil }
        return delivery.properties.headers[JobHeader.chunkSize]?.integer.flatMap { $0 > 0 ? Int(clamping: $0) : nil }
    }

    /// When its turn is, as a worker has worked it out. One that is further ahead than any may be is a wrong clock's, and none.
    var slot: Pacer.Slot? {
        let latest = arrivedAt.milliseconds + Int64(PaceLimit.longest) * 1_000
        guard isWorkers, let due = delivery.properties.headers[JobHeader.slot]?.integer, (0...latest).contains(due),
            let rate = delivery.properties.headers[JobHeader.slotRate]?.integer
        else { return nil }
        return Pacer.Slot(due: Timestamp(milliseconds: due), rate: Int(clamping: rate))
    }

    /// For how many seconds it has waited for a rate.
    var paced: Int {
        guard isWorkers, let seconds = delivery.properties.headers[JobHeader.paced]?.integer else { return 0 }
        return Int(min(max(0, seconds), Int64(PaceLimit.longest)))
    }

    /// Who has asked to claim it before it was put where it comes from.
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
