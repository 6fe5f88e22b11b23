import DequeModule
import PushModel

/// What a pool has still to send: urgent jobs before normal before bulk ones, each with a cursor, so that a job of a
/// thousand recipients is one element. Jobs of a lane take turns, so that a small one does not wait behind all the
/// large ones of another app. Pushes that must be sent again come first.
package struct SendQueue {
    /// Pushes of one job in a row; a power of two.
    private static let turn = 16

    private struct Cursor {
        let job: PreparedJob
        var next: Int
        let end: Int

        mutating func step() -> QueuedPush {
            defer { next += 1 }
            return QueuedPush(job: job, recipient: next, resends: 0)
        }
    }

    private var again = Deque<QueuedPush>()
    private var urgent = Deque<Cursor>()
    private var normal = Deque<Cursor>()
    private var bulk = Deque<Cursor>()

    /// Pushes, not jobs.
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    /// Adds a job, which has at least one recipient.
    package mutating func append(_ job: PreparedJob) {
        append(job, recipients: job.routed.job.recipients.indices)
    }

    /// Adds some recipients of a job, at least one.
    package mutating func append(_ job: PreparedJob, recipients: Range<Int>) {
        let cursor = Cursor(job: job, next: recipients.lowerBound, end: recipients.upperBound)
        count += recipients.count
        switch job.routed.lane {
        case .urgent: urgent.append(cursor)
        case .normal: normal.append(cursor)
        case .bulk: bulk.append(cursor)
        }
    }

    package mutating func resend(_ push: QueuedPush) {
        again.append(push)
        count += 1
    }

    /// - Parameter onlyUrgent: what is not urgent stays.
    package mutating func next(onlyUrgent: Bool = false) -> QueuedPush? {
        guard count > 0 else { return nil }
        let push =
            onlyUrgent ? nextUrgent() : again.popFirst() ?? Self.next(&urgent) ?? Self.next(&normal) ?? Self.next(&bulk)
        if push != nil { count -= 1 }
        return push
    }

    private mutating func nextUrgent() -> QueuedPush? {
        if again.first?.job.routed.lane == .urgent { return again.popFirst() }
        return Self.next(&urgent)
    }

    private static func next(_ lane: inout Deque<Cursor>) -> QueuedPush? {
        guard !lane.isEmpty else { return nil }
        let push = lane[0].step()
        let next = lane[0].next
        if next >= lane[0].end {
            lane.removeFirst()
        } else if next % turn == 0, lane.count > 1 {
            lane.append(lane.removeFirst())
        }
        return push
    }

    /// Takes out all pushes of some jobs.
    package mutating func removeAll(where isMeant: (PreparedJob) -> Bool) -> [QueuedPush] {
        var removed = again.filter { isMeant($0.job) } as [QueuedPush]
        again.removeAll { isMeant($0.job) }
        for lane in [\SendQueue.urgent, \.normal, \.bulk] {
            for var cursor in self[keyPath: lane] where isMeant(cursor.job) {
                while cursor.next < cursor.end { removed.append(cursor.step()) }
            }
            self[keyPath: lane].removeAll { isMeant($0.job) }
        }
        count -= removed.count
        return removed
    }
}
