import AMQPClient
import PushModel

/// The jobs that were at work in this worker when their delivery's connection was lost. They are keyed by the identity
/// of their message, because the broker redelivers it. A value: no clock, no I/O.
///
/// | orphan | redelivery of its message | result |
/// |---|---|---|
/// | is at work | to this worker | the job continues, and the new delivery is settled when it ends |
/// | is at work | to another worker | both send; outcomes of the other worker are marked as redelivered |
/// | has ended | within five minutes, to this worker | the new delivery is acknowledged at once |
/// | has ended | later, or to another worker | the job is sent again, marked as redelivered |
///
/// Only a delivery with the broker's `redelivered` flag is matched, or one that the broker dropped from the job's queue
/// because lost connections exhausted its delivery limit. Several orphans may have the same identity; each matches one
/// delivery.
package struct Orphans {
    enum Match {
        case atWork(OpenJob)
        case ended
    }

    /// An entry takes about 200 bytes.
    package static let mostEnded = 10_000
    /// The time for which an ended orphan is remembered, in milliseconds. The broker may need two heartbeats to notice
    /// that the old connection is gone.
    package static let longestMemory: Int64 = 300_000

    /// The interval at which expired entries are removed, in milliseconds.
    private static let sweepInterval: Int64 = 10_000

    private var atWork: [MessageIdentity: [OpenJob]] = [:]
    /// The times at which orphans ended, the earliest first.
    private var ended: [MessageIdentity: [Timestamp]] = [:]
    private var endedCount = 0
    private var lastSweep = Timestamp(milliseconds: 0)

    private var isEmpty: Bool { atWork.isEmpty && ended.isEmpty }

    mutating func add(_ job: OpenJob) {
        job.isOrphan = true
        guard !job.isIncomplete else { return }
        let identity = job.identity ?? MessageIdentity(job.inbound.delivery)
        job.identity = identity
        atWork[identity, default: []].append(job)
    }

    /// Removes a job that has ended in this worker, because the broker holds everything that it produced.
    mutating func remove(_ job: OpenJob) {
        guard job.isOrphan, let identity = job.identity else { return }
        atWork[identity]?.removeAll { $0 === job }
        if atWork[identity]?.isEmpty == true { atWork[identity] = nil }
    }

    /// Records that everything an orphan produced is safe. An incomplete job, or one that the broker must dead-letter,
    /// is not remembered.
    mutating func end(_ job: OpenJob, now: Timestamp) {
        remove(job)
        guard let identity = job.identity, !job.isIncomplete, !job.isUntakeable else { return }
        if endedCount >= Self.mostEnded, abs(now.milliseconds - lastSweep.milliseconds) >= Self.sweepInterval {
            forgetOld(now)
        }
        guard endedCount < Self.mostEnded else { return }
        endedCount += 1
        ended[identity, default: []].append(now)
    }

    /// Finds and removes the orphan that a delivery belongs to. Jobs that are still at work come first.
    mutating func match(_ inbound: InboundJob, _ names: PipelineNames, now: Timestamp) -> Match? {
        guard !isEmpty else { return nil }
        let queue = inbound.drop?.limitingQueue.flatMap { names.tagIndex(ofQueue: $0) }
        guard inbound.delivery.isRedelivered || queue != nil else { return nil }
        let identity = MessageIdentity(inbound.delivery, droppedFrom: queue)
        // An incomplete job has chunks that were never made, so its redelivery is handled like a new delivery.
        if let job = atWork[identity]?.first(where: { !$0.isIncomplete }) {
            remove(job)
            job.isOrphan = false
            return .atWork(job)
        }
        guard let times = ended[identity] else { return nil }
        let young = times.filter { Self.isRemembered($0, now) }
        endedCount -= times.count - young.count + (young.isEmpty ? 0 : 1)
        ended[identity] = young.count > 1 ? Array(young.dropFirst()) : nil
        return young.isEmpty ? nil : .ended
    }

    private mutating func forgetOld(_ now: Timestamp) {
        lastSweep = now
        ended = ended.compactMapValues { times in
            let young = times.filter { Self.isRemembered($0, now) }
            return young.isEmpty ? nil : young
        }
        endedCount = ended.values.reduce(0) { $0 + $1.count }
    }

    private static func isRemembered(_ end: Timestamp, _ now: Timestamp) -> Bool {
        abs(now.milliseconds - end.milliseconds) <= longestMemory
    }
}
