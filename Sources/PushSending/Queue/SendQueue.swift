internal import DequeModule
import PushModel

/// A queue of a pool's waiting pushes. Urgent jobs come first, then normal jobs, then bulk jobs.
///
/// A job with a thousand recipients is one element with a cursor. Jobs in the same lane take turns, so that a small job
/// does not wait behind another app's large jobs. Resent urgent pushes come before everything else. Other resent pushes
/// come directly after the urgent jobs.
package struct SendQueue {
    /// The number of pushes of one job that are sent before the next job has its turn.
    private static let turn = 16

    private struct Cursor {
        let job: QueuedJob
        var next = 0
        var end: Int

        init(_ job: QueuedJob) {
            self.job = job
            end = job.count
        }

        mutating func step() -> QueuedPush {
            defer { next += 1 }
            return QueuedPush(job: job, recipient: job.recipient(at: next))
        }
    }

    private var again = Deque<QueuedPush>()
    private var urgent = Deque<Cursor>()
    private var normal = Deque<Cursor>()
    private var bulk = Deque<Cursor>()

    /// The number of waiting pushes, not of jobs.
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    /// The number of jobs with a waiting push that has not been sent before.
    package var jobs: Int { urgent.count + normal.count + bulk.count }
    package var hasUrgent: Bool { !urgent.isEmpty || again.first?.job.routed.lane == .urgent }

    /// Adds a job, which must have at least one recipient in this pool.
    package mutating func append(_ job: QueuedJob) {
        let cursor = Cursor(job)
        count += job.count
        switch job.routed.lane {
        case .urgent: urgent.append(cursor)
        case .normal: normal.append(cursor)
        case .bulk: bulk.append(cursor)
        }
    }

    /// Queues a push to be sent again. Urgent pushes come before other resent pushes.
    package mutating func resend(_ push: QueuedPush) {
        let isUrgent = push.job.routed.lane == .urgent
        let place = isUrgent ? again.firstIndex { $0.job.routed.lane != .urgent } : nil
        again.insert(push, at: place ?? again.endIndex)
        count += 1
    }

    /// Removes and returns the next push, or returns `nil` if there is none.
    ///
    /// - Parameters:
    ///   - onlyUrgent: Whether only an urgent push may be returned.
    ///   - takesGroups: Whether the push may belong to a part of a halved batch.
    package mutating func next(onlyUrgent: Bool = false, takesGroups: Bool = true) -> QueuedPush? {
        guard takesGroups else { return next(onlyUrgent: onlyUrgent, takesGroups: false) { _ in true } }
        guard count > 0 else { return nil }
        var push = nextUrgent()
        if push == nil, !onlyUrgent { push = again.popFirst() ?? Self.next(&normal) ?? Self.next(&bulk) }
        if push != nil { count -= 1 }
        return push
    }

    private mutating func nextUrgent() -> QueuedPush? {
        if again.first?.job.routed.lane == .urgent { return again.popFirst() }
        return Self.next(&urgent)
    }

    /// Removes and returns the next push whose job meets the condition, or returns `nil`. The other pushes keep their
    /// places.
    ///
    /// - Parameter takesGroups: Whether the push may belong to a part of a halved batch.
    package mutating func next(
        onlyUrgent: Bool = false, takesGroups: Bool = true, where isMeant: (QueuedJob) -> Bool
    ) -> QueuedPush? {
        // In `again`, urgent pushes precede all others.
        let urgent = again.firstIndex { $0.job.routed.lane != .urgent } ?? again.endIndex
        if let push = nextAgain(in: ..<urgent, takesGroups, isMeant) ?? next(of: \.urgent, where: isMeant) {
            return push
        }
        if onlyUrgent { return nil }
        return nextAgain(in: urgent..., takesGroups, isMeant) ?? next(of: \.normal, where: isMeant)
            ?? next(of: \.bulk, where: isMeant)
    }

    private mutating func nextAgain(
        in places: some RangeExpression<Int>, _ takesGroups: Bool, _ isMeant: (QueuedJob) -> Bool
    ) -> QueuedPush? {
        let place = again[places].firstIndex { (takesGroups || $0.group == 0) && isMeant($0.job) }
        guard let place else { return nil }
        count -= 1
        return again.remove(at: place)
    }

    private mutating func next(
        of lane: WritableKeyPath<SendQueue, Deque<Cursor>>, where isMeant: (QueuedJob) -> Bool
    ) -> QueuedPush? {
        guard let place = self[keyPath: lane].firstIndex(where: { isMeant($0.job) }) else { return nil }
        count -= 1
        let push = self[keyPath: lane][place].step()
        let cursor = self[keyPath: lane][place]
        if cursor.next >= cursor.end {
            self[keyPath: lane].remove(at: place)
        } else if cursor.next % Self.turn == 0, self[keyPath: lane].count > 1 {
            self[keyPath: lane].append(self[keyPath: lane].remove(at: place))
        }
        return push
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

    /// Returns a given push and further pushes of its job, which are removed from the queue. Outputs that send several
    /// pushes in one request call this. A part of a halved batch is never combined with other pushes.
    ///
    /// - Parameters:
    ///   - first: The push that was already taken from the queue.
    ///   - most: The maximum number of pushes in the batch.
    ///   - goesAlong: A function that returns whether a recipient joins the batch. It is also called for `first`, which
    ///     is always in the batch. Resent pushes are added until one does not join, and then unsent pushes likewise.
    package mutating func batch(
        startingWith first: QueuedPush, atMost most: Int, _ goesAlong: (_ job: QueuedJob, _ recipient: Int) -> Bool
    ) -> [QueuedPush] {
        var batch = [first]
        let job = first.job
        _ = goesAlong(job, first.recipient)
        while batch.count < most, let push = again.first, push.job === job, push.group == first.group,
            goesAlong(job, push.recipient)
        {
            batch.append(push)
            again.removeFirst()
        }
        let lane = Self.lane(of: job)
        if first.group == 0, let place = self[keyPath: lane].firstIndex(where: { $0.job === job }) {
            var cursor = self[keyPath: lane].remove(at: place)
            while batch.count < most, cursor.next < cursor.end, goesAlong(job, job.recipient(at: cursor.next)) {
                batch.append(cursor.step())
            }
            // The job has had its turn, so it moves to the end of its lane.
            if cursor.next < cursor.end { self[keyPath: lane].append(cursor) }
        }
        count -= batch.count - 1
        return batch
    }

    private static func lane(of job: QueuedJob) -> WritableKeyPath<SendQueue, Deque<Cursor>> {
        switch job.routed.lane {
        case .urgent: \.urgent
        case .normal: \.normal
        case .bulk: \.bulk
        }
    }

    /// Removes and returns the least urgent pushes, and within a lane those of its last job first. The remaining
    /// pushes keep their order.
    ///
    /// - Parameter kept: The number of pushes that stay.
    package mutating func removeLast(allBut kept: Int) -> [QueuedPush] {
        var removed: [QueuedPush] = []
        let excess = max(0, count - max(0, kept))
        removed.reserveCapacity(excess)
        for lane in [\SendQueue.bulk, \.normal] { removeLast(of: lane, upTo: excess, &removed) }
        while removed.count < excess, let last = again.last, last.job.routed.lane != .urgent {
            removed.append(last)
            again.removeLast()
        }
        removeLast(of: \.urgent, upTo: excess, &removed)
        while removed.count < excess, let last = again.popLast() { removed.append(last) }
        count -= removed.count
        return removed
    }

    private mutating func removeLast(
        of lane: WritableKeyPath<SendQueue, Deque<Cursor>>, upTo most: Int, _ removed: inout [QueuedPush]
    ) {
        while removed.count < most, var cursor = self[keyPath: lane].popLast() {
            let first = max(cursor.next, cursor.end - (most - removed.count))
            for place in first..<cursor.end {
                removed.append(QueuedPush(job: cursor.job, recipient: cursor.job.recipient(at: place)))
            }
            cursor.end = first
            if cursor.next < cursor.end { self[keyPath: lane].append(cursor) }
        }
    }

    /// Removes and returns all pushes of the selected jobs.
    package mutating func removeAll(where isMeant: (QueuedJob) -> Bool) -> [QueuedPush] {
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
