import AMQPClient
import PushModel

/// The jobs whose delivery's connection was lost while this worker was at work on them, by the identity of their message, which
/// the broker delivers again. A value: no clock, no I/O.
///
/// | an orphan | its message comes again | then |
/// |---|---|---|
/// | is at work | to this worker | the job continues, and its end settles the new delivery |
/// | is at work | to another worker | both send; the other's outcomes say that they are redelivered |
/// | has ended | within five minutes, to this worker | the new delivery is acknowledged at once |
/// | has ended | later, or to another worker | the job is sent again as a redelivered one |
///
/// Only a delivery that the broker calls redelivered is matched. Messages of the same identity are counted: each orphan stands
/// for one delivery.
package struct Orphans {
    enum Match {
        case atWork(OpenJob)
        case ended
    }

    /// About 200 bytes each.
    package static let mostEnded = 10_000
    /// How long the end of an orphan is remembered, in milliseconds. The broker may notice only after two heartbeats that the old
    /// connection is gone.
    package static let longestMemory: Int64 = 300_000

    /// In milliseconds.
    private static let sweepInterval: Int64 = 10_000

    private var atWork: [MessageIdentity: [OpenJob]] = [:]
    /// When they ended, the earliest first.
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

    /// Forgets a job of which nothing is left to do here, because the broker has all of it.
    mutating func remove(_ job: OpenJob) {
        guard job.isOrphan, let identity = job.identity else { return }
        atWork[identity]?.removeAll { $0 === job }
        if atWork[identity]?.isEmpty == true { atWork[identity] = nil }
    }

    /// Everything that became of an orphan is safe. A job that the broker is to dead-letter, and one of which only a part was
    /// done, are not remembered.
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

    /// Finds the orphan that a delivery belongs to, and takes it out. Prefers jobs at work, whose end is still to come.
    mutating func match(_ delivery: AMQPDelivery, now: Timestamp) -> Match? {
        guard delivery.isRedelivered, !isEmpty else { return nil }
        let identity = MessageIdentity(delivery)
        if let job = atWork[identity]?.first {
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
