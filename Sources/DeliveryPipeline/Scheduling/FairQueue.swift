import AMQPClient
package import PushModel

/// A job that has been decoded and waits for room.
package struct WaitingJob: Sendable {
    package let inbound: InboundJob
    package let job: Job
    let use: AppUse
    let size: FairQueue.Size

    /// - Parameter chunkSize: most recipients that are sent as one job; one of more counts as one of so many.
    package init(inbound: InboundJob, job: Job, use: AppUse, chunkSize: Int = .max) {
        self.inbound = inbound
        self.job = job
        self.use = use
        size = .init(jobs: 1, recipients: min(job.recipients.count, chunkSize), bytes: inbound.delivery.size)
    }
}

/// The decoded jobs of one queue in the broker. Apps take turns; within an app the oldest goes first.
///
/// Bounded by the queue's prefetch, so it needs no bound of its own.
package struct FairQueue {
    /// How much there is of something: jobs, their recipients, and their bytes.
    package struct Size: Sendable, Equatable {
        package var jobs: Int
        package var recipients: Int
        package var bytes: Int

        package init(jobs: Int = 0, recipients: Int = 0, bytes: Int = 0) {
            (self.jobs, self.recipients, self.bytes) = (jobs, recipients, bytes)
        }

        static func += (size: inout Size, more: Size) {
            size.jobs += more.jobs
            size.recipients += more.recipients
            size.bytes += more.bytes
        }

        static func -= (size: inout Size, less: Size) {
            size.jobs -= less.jobs
            size.recipients -= less.recipients
            size.bytes -= less.bytes
        }

        /// Of a limit, where any of them may be what counts; above 1 is beyond it.
        func share(of limit: Size) -> Double {
            func part(_ value: Int, _ limit: Int) -> Double { Double(value) / Double(max(limit, 1)) }
            return max(part(jobs, limit.jobs), part(recipients, limit.recipients), part(bytes, limit.bytes))
        }
    }

    /// Two stacks: what leaves is let go at once, even while the queue never runs empty.
    private struct AppQueue {
        private var arriving: [WaitingJob] = []
        /// The oldest last.
        private var leaving: [WaitingJob] = []

        private(set) var size = Size()

        var oldest: WaitingJob? { leaving.last ?? arriving.first }

        mutating func append(_ job: WaitingJob) {
            arriving.append(job)
            size += job.size
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
            if let job { size -= job.size }
            return job
        }
    }

    private var queues: [ObjectIdentifier: AppQueue] = [:]
    /// Those that have jobs, the next one first.
    private var turns: [AppUse] = []
    package private(set) var size = Size()
    package var count: Int { size.jobs }

    /// Since when one has been waiting.
    var oldestArrival: Timestamp? { queues.values.compactMap { $0.oldest?.inbound.arrivedAt }.min() }

    package init() {}

    package mutating func append(_ job: WaitingJob) {
        let id = ObjectIdentifier(job.use)
        if queues[id] == nil { turns.append(job.use) }
        queues[id, default: AppQueue()].append(job)
        job.use.waiting += 1
        size += job.size
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

    /// The newest job of the app that has most, measured by its limit, if that or the limit of all together is passed
    /// and the app may not start one.
    package mutating func surplus(
        over limit: (AppUse) -> Size, all: Size, where mayStart: (AppUse) -> Bool
    ) -> WaitingJob? {
        func share(_ use: AppUse) -> Double { queues[ObjectIdentifier(use)]?.size.share(of: limit(use)) ?? 0 }
        guard let use = turns.max(by: { share($0) < share($1) }), share(use) > 1 || size.share(of: all) > 1,
            !mayStart(use)
        else { return nil }
        return take(from: use) { $0.popLast() }
    }

    /// The newest job of the app that has most recipients.
    package mutating func newest() -> WaitingJob? {
        func recipients(_ use: AppUse) -> Int { queues[ObjectIdentifier(use)]?.size.recipients ?? 0 }
        guard let use = turns.max(by: { recipients($0) < recipients($1) }) else { return nil }
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
        guard let place = queues.index(forKey: id), let job = pop(&queues.values[place]) else { return nil }
        if queues.values[place].size.jobs == 0 {
            queues.remove(at: place)
            turns.removeAll { $0 === use }
        }
        use.waiting -= 1
        size -= job.size
        return job
    }
}
