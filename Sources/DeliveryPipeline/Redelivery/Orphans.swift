import AMQPClient
import Contract
import PushModel

/// The orphans: jobs that this worker was processing when the connection of their delivery was lost. The broker
/// redelivers their messages, so each orphan is found by the identity of its message. A value type without clock or
/// I/O.
///
/// | orphan | redelivery of its message | result |
/// |---|---|---|
/// | is being processed | to this worker | the job continues, and the new delivery is settled when it ends |
/// | is being processed | to another worker first | both send; the other worker's outcomes are marked `redelivered` |
/// | has ended | within five minutes, to this worker | the new delivery is acknowledged at once |
/// | has ended | later, or to another worker first | the job is sent again, marked as redelivered |
///
/// A delivery is matched only if it has the broker's `redelivered` flag, or if the broker dropped it from the job's
/// queue because lost connections exhausted the delivery limit. The broker's delivery count shows whether another
/// worker had the message in between. If so, the delivery is not matched, because that worker may have sent pushes or
/// claimed the job's name. Several orphans may have the same identity. Each orphan matches one delivery.
package struct Orphans {
    enum Match {
        case atWork(OpenJob)
        case ended
    }

    /// The maximum number of ended orphans that are remembered. An entry takes about 200 bytes.
    package static let mostEnded = 10_000
    /// The time for which an ended orphan is remembered, in milliseconds. The broker may need two heartbeats to notice
    /// that the old connection is gone.
    package static let longestMemory: Int64 = 300_000

    /// The interval at which expired entries are removed, in milliseconds.
    private static let sweepInterval: Int64 = 10_000

    private struct Ended {
        let at: Timestamp
        /// The number of deliveries of the message before the one whose connection was lost.
        let earlierDeliveries: Int
    }

    private var atWork: [MessageIdentity: [OpenJob]] = [:]
    /// The orphans that have ended, by the identity of their message, the earliest first.
    private var ended: [MessageIdentity: [Ended]] = [:]
    private var endedCount = 0
    /// The time at which an orphan was last added, by the identity of its message.
    private var known: [MessageIdentity: Timestamp] = [:]
    private var lastSweep = Timestamp(milliseconds: 0)

    private var isEmpty: Bool { atWork.isEmpty && ended.isEmpty }

    mutating func add(_ job: OpenJob, now: Timestamp) {
        job.isOrphan = true
        guard !job.isIncomplete else { return }
        let identity = job.identity ?? MessageIdentity(job.inbound.delivery)
        job.identity = identity
        atWork[identity, default: []].append(job)
        if known.count < Self.mostEnded { known[identity] = now }
    }

    /// Removes an orphan that this worker no longer processes. ``end(_:now:)`` may still remember it as ended.
    mutating func remove(_ job: OpenJob) {
        guard job.isOrphan, let identity = job.identity else { return }
        atWork[identity]?.removeAll { $0 === job }
        if atWork[identity]?.isEmpty == true { atWork[identity] = nil }
    }

    /// Records that all outcomes of an orphan are confirmed. An incomplete orphan, or one that the broker must
    /// dead-letter, is not remembered.
    mutating func end(_ job: OpenJob, now: Timestamp) {
        remove(job)
        guard let identity = job.identity, !job.isIncomplete, !job.isUntakeable else { return }
        if endedCount >= Self.mostEnded, abs(now.milliseconds - lastSweep.milliseconds) >= Self.sweepInterval {
            forgetOld(now)
        }
        guard endedCount < Self.mostEnded else { return }
        endedCount += 1
        ended[identity, default: []].append(Ended(at: now, earlierDeliveries: job.inbound.earlierDeliveries))
    }

    /// Finds the orphan to which a delivery belongs, and removes it. Orphans that are being processed come before
    /// orphans that have ended. Returns `nil` if the delivery belongs to no orphan.
    mutating func match(_ inbound: InboundJob, _ names: PipelineNames, now: Timestamp) -> Match? {
        guard !isEmpty else { return nil }
        let queue = inbound.drop?.limitingQueue.flatMap { names.tagIndex(ofQueue: $0) }
        guard inbound.delivery.isRedelivered || queue != nil else { return nil }
        let identity = MessageIdentity(inbound.delivery, droppedFrom: queue)
        // The delivery count of a dropped message may be that of the queue of dropped jobs, so it is ignored.
        func isNext(after earlierDeliveries: Int) -> Bool {
            queue != nil || inbound.earlierDeliveries == earlierDeliveries + 1
        }
        // An incomplete job has chunks that were never made, so its redelivery is handled like a new delivery.
        let job = atWork[identity]?.first { !$0.isIncomplete && isNext(after: $0.inbound.earlierDeliveries) }
        if let job {
            remove(job)
            job.isOrphan = false
            return .atWork(job)
        }
        guard var all = ended[identity] else { return nil }
        let count = all.count
        all.removeAll { !Self.isRemembered($0.at, now) }
        let match = all.firstIndex { isNext(after: $0.earlierDeliveries) }
        if let match { all.remove(at: match) }
        endedCount -= count - all.count
        ended[identity] = all.isEmpty ? nil : all
        return match == nil ? nil : .ended
    }

    /// Returns whether a delivery may be a copy that the broker made of an orphan's message. If a broker stops while it
    /// dead-letters a message from a delay queue, it may dead-letter the message a second time, without the
    /// `redelivered` flag.
    mutating func mayBeCopied(_ inbound: InboundJob, now: Timestamp) -> Bool {
        guard !known.isEmpty, !inbound.delivery.isRedelivered, inbound.delivery.properties.headers["x-death"] != nil
        else { return false }
        if abs(now.milliseconds - lastSweep.milliseconds) >= Self.sweepInterval { forgetOld(now) }
        return known[MessageIdentity(inbound.delivery)] != nil
    }

    private mutating func forgetOld(_ now: Timestamp) {
        lastSweep = now
        known = known.filter { Self.isRemembered($0.value, now) }
        ended = ended.compactMapValues { all in
            let young = all.filter { Self.isRemembered($0.at, now) }
            return young.isEmpty ? nil : young
        }
        endedCount = ended.values.reduce(0) { $0 + $1.count }
    }

    private static func isRemembered(_ end: Timestamp, _ now: Timestamp) -> Bool {
        abs(now.milliseconds - end.milliseconds) <= longestMemory
    }
}
