import AMQPClient
package import PushModel

/// A job that has been decoded and waits for room.
package struct WaitingJob: Sendable {
    package let inbound: InboundJob
    package let job: Job
    let use: AppUse
    let bytes: Int

    package init(inbound: InboundJob, job: Job, use: AppUse) {
        self.inbound = inbound
        self.job = job
        self.use = use
        bytes = inbound.delivery.size
    }
}

/// The decoded jobs of one queue in the broker. Apps take turns; within an app the oldest goes first.
///
/// Bounded by the queue's prefetch, so it needs no bound of its own.
package struct FairQueue {
    /// How much there is of something: jobs, and their bytes.
    package struct Size {
        package var jobs = 0
        package var bytes = 0

        package init(jobs: Int, bytes: Int) {
            (self.jobs, self.bytes) = (jobs, bytes)
        }

        static func / (size: Size, part: Int) -> Size { Size(jobs: size.jobs / part, bytes: size.bytes / part) }

        /// Of a limit, where either may be what counts; above 1 is beyond it.
        func share(of limit: Size) -> Double {
            max(Double(jobs) / Double(max(limit.jobs, 1)), Double(bytes) / Double(max(limit.bytes, 1)))
        }
    }

    /// Two stacks: what leaves is let go at once, even while the queue never runs empty.
    private struct AppQueue {
        private var arriving: [WaitingJob] = []
        /// The oldest last.
        private var leaving: [WaitingJob] = []

        private(set) var size = Size(jobs: 0, bytes: 0)

        var oldest: WaitingJob? { leaving.last ?? arriving.first }

        mutating func append(_ job: WaitingJob) {
            arriving.append(job)
            size.jobs += 1
            size.bytes += job.bytes
        }

        mutating func popFirst() -> WaitingJob? {
            if leaving.isEmpty {
                leaving = arriving.reversed()
                arriving.removeAll(keepingCapacity: true)
            }
            return counted(leaving.popLast())
        }

        /// The newest.
        mutating func popLast() -> WaitingJob? {
            if let last = arriving.popLast() { return counted(last) }
            return counted(leaving.isEmpty ? nil : leaving.removeFirst())
        }

        private mutating func counted(_ job: WaitingJob?) -> WaitingJob? {
            if let job {
                size.jobs -= 1
                size.bytes -= job.bytes
            }
            return job
        }
    }

    private var queues: [ObjectIdentifier: AppQueue] = [:]
    /// Those that have jobs, the next one first.
    private var turns: [AppUse] = []
    private var size = Size(jobs: 0, bytes: 0)
    package var count: Int { size.jobs }

    /// Since when one has been waiting.
    var oldestArrival: Timestamp? { queues.values.compactMap { $0.oldest?.inbound.arrivedAt }.min() }

    package init() {}

    package mutating func append(_ job: WaitingJob) {
        let id = ObjectIdentifier(job.use)
        if queues[id] == nil { turns.append(job.use) }
        queues[id, default: AppQueue()].append(job)
        job.use.waiting += 1
        size.jobs += 1
        size.bytes += job.bytes
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

    /// The newest job of the app that is furthest beyond its limit, if it may not start one.
    package mutating func surplus(over limit: (AppUse) -> Size, where mayStart: (AppUse) -> Bool) -> WaitingJob? {
        func share(_ use: AppUse) -> Double { queues[ObjectIdentifier(use)]?.size.share(of: limit(use)) ?? 0 }
        guard let use = turns.max(by: { share($0) < share($1) }), share(use) > 1, !mayStart(use) else { return nil }
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
        if queue.size.jobs > 0 {
            queues[id] = queue
        } else {
            turns.removeAll { $0 === use }
        }
        use.waiting -= 1
        size.jobs -= 1
        size.bytes -= job.bytes
        return job
    }
}
