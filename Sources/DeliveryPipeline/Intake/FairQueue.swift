package import PushModel

/// A job that has been decoded and waits for room.
package struct WaitingJob: Sendable {
    package let inbound: InboundJob
    package let job: Job
    let use: AppUse

    package init(inbound: InboundJob, job: Job, use: AppUse) {
        self.inbound = inbound
        self.job = job
        self.use = use
    }
}

/// The decoded jobs of one queue in the broker. Apps take turns; within an app the oldest goes first.
///
/// Bounded by the queue's prefetch, so it needs no bound of its own.
package struct FairQueue {
    /// Two stacks: what leaves is let go at once, even while the queue never runs empty.
    private struct AppQueue {
        private var arriving: [WaitingJob] = []
        /// The oldest last.
        private var leaving: [WaitingJob] = []

        var count: Int { arriving.count + leaving.count }

        mutating func append(_ job: WaitingJob) { arriving.append(job) }

        mutating func popFirst() -> WaitingJob? {
            if leaving.isEmpty {
                leaving = arriving.reversed()
                arriving.removeAll(keepingCapacity: true)
            }
            return leaving.popLast()
        }

        /// The newest.
        mutating func popLast() -> WaitingJob? {
            if let last = arriving.popLast() { return last }
            return leaving.isEmpty ? nil : leaving.removeFirst()
        }
    }

    private var queues: [ObjectIdentifier: AppQueue] = [:]
    /// Those that have jobs, the next one first.
    private var turns: [AppUse] = []
    package private(set) var count = 0

    package init() {}

    package mutating func append(_ job: WaitingJob) {
        let id = ObjectIdentifier(job.use)
        if queues[id] == nil { turns.append(job.use) }
        queues[id, default: AppQueue()].append(job)
        job.use.waiting += 1
        count += 1
    }

    /// The oldest job of the app whose turn it is, among those that may start one.
    package mutating func next(where mayStart: (AppUse) -> Bool) -> WaitingJob? {
        guard let turn = turns.firstIndex(where: mayStart) else { return nil }
        let use = turns[turn]
        guard let job = take(from: use, { $0.popFirst() }) else { return nil }
        if turns.count > 1, turns.indices.contains(turn), turns[turn] === use {
            turns.remove(at: turn)
            turns.append(use)
        }
        return job
    }

    /// The newest job of the app that has most, if that is more than `limit` and it may not start one.
    package mutating func surplus(over limit: Int, where mayStart: (AppUse) -> Bool) -> WaitingJob? {
        guard count > limit else { return nil }
        let greatest = turns.max {
            (queues[ObjectIdentifier($0)]?.count ?? 0) < (queues[ObjectIdentifier($1)]?.count ?? 0)
        }
        guard let use = greatest, (queues[ObjectIdentifier(use)]?.count ?? 0) > limit, !mayStart(use) else {
            return nil
        }
        return take(from: use) { $0.popLast() }
    }

    /// Takes out everything that waits.
    package mutating func removeAll() -> [WaitingJob] {
        var all: [WaitingJob] = []
        while let job = next(where: { _ in true }) { all.append(job) }
        return all
    }

    private mutating func take(from use: AppUse, _ pop: (inout AppQueue) -> WaitingJob?) -> WaitingJob? {
        let id = ObjectIdentifier(use)
        guard var queue = queues.removeValue(forKey: id), let job = pop(&queue) else { return nil }
        if queue.count > 0 {
            queues[id] = queue
        } else {
            turns.removeAll { $0 === use }
        }
        use.waiting -= 1
        count -= 1
        return job
    }
}
