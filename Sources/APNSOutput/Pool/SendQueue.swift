import NIOCore
import PushModel

/// One push waiting to be sent or on the wire.
package struct QueuedPush {
    package let job: PreparedJob
    package let recipient: Int
    /// How often it was put back because the server had certainly not processed it.
    package let resends: Int

    package init(job: PreparedJob, recipient: Int, resends: Int) {
        self.job = job
        self.recipient = recipient
        self.resends = resends
    }
}

/// What a pool has still to send: jobs in the order they came, urgent before normal before bulk, each with a
/// cursor, so that a job of a thousand recipients is one element. Pushes that must be sent again come first.
package struct SendQueue {
    private struct Cursor {
        let job: PreparedJob
        var next = 0
    }

    private var again = CircularBuffer<QueuedPush>()
    private var urgent = CircularBuffer<Cursor>()
    private var normal = CircularBuffer<Cursor>()
    private var bulk = CircularBuffer<Cursor>()

    /// Pushes, not jobs.
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    /// Adds a job, which has at least one recipient.
    package mutating func append(_ job: PreparedJob) {
        let cursor = Cursor(job: job)
        count += job.routed.job.recipients.count
        switch job.routed.lane {
        case .urgent: urgent.append(cursor)
        case .normal: normal.append(cursor)
        case .bulk: bulk.append(cursor)
        }
    }

    package mutating func putBack(_ push: QueuedPush) {
        again.append(push)
        count += 1
    }

    package mutating func next() -> QueuedPush? {
        guard count > 0 else { return nil }
        count -= 1
        if let push = again.popFirst() { return push }
        return Self.next(&urgent) ?? Self.next(&normal) ?? Self.next(&bulk)
    }

    private static func next(_ lane: inout CircularBuffer<Cursor>) -> QueuedPush? {
        guard !lane.isEmpty else { return nil }
        let index = lane.startIndex
        let push = QueuedPush(job: lane[index].job, recipient: lane[index].next, resends: 0)
        lane[index].next += 1
        if lane[index].next >= push.job.routed.job.recipients.count { lane.removeFirst() }
        return push
    }
}
