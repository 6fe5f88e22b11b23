import AMQPClient
import DequeModule
import PushModel

/// The waiting jobs of one queue. Apps take turns. Within an app, the oldest job goes first. If the app is
/// paused or rate-limited, its exempt jobs (``WaitingJob/isFree``) go before its other jobs.
///
/// The queue's prefetch bounds the number of jobs, so no other bound is needed.
package struct FairQueue {
    /// The size of a set of jobs: their number, their recipients, and their bytes.
    ///
    /// If one of the three numbers of a limit is negative, every job exceeds the limit.
    package struct Size: Sendable, Equatable {
        package var jobs: Int
        package var recipients: Int
        package var bytes: Int

        package init(jobs: Int = 0, recipients: Int = 0, bytes: Int = 0) {
            (self.jobs, self.recipients, self.bytes) = (jobs, recipients, bytes)
        }

        package static let unlimited = Size(jobs: .max, recipients: .max, bytes: .max)
        package static let nothing = Size(jobs: -1, recipients: -1, bytes: -1)

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

        /// Returns the largest of the three fractions of a limit. A value above 1 exceeds the limit.
        func share(of limit: Size) -> Double {
            func fraction(_ value: Int, _ limit: Int) -> Double {
                limit < 0 && value > 0 ? .infinity : Double(value) / Double(max(limit, 1))
            }
            return max(fraction(jobs, limit.jobs), fraction(recipients, limit.recipients), fraction(bytes, limit.bytes))
        }
    }

    private struct AppQueue {
        /// The jobs that are exempt from the app's pause or rate limit, the oldest first.
        private var free: Deque<WaitingJob> = []
        private var jobs: Deque<WaitingJob> = []
        private(set) var size = Size()

        var first: WaitingJob? { free.first ?? jobs.first }
        var oldest: InboundJob? {
            [free.first?.inbound, jobs.first?.inbound].compactMap(\.self).min { $0.arrivedAt < $1.arrivedAt }
        }

        mutating func append(_ job: WaitingJob) {
            let mayHaveToWait = job.appLoad.isPaused || job.appLoad.isPaced(in: job.inbound.queue)
            if job.isFree, mayHaveToWait { free.append(job) } else { jobs.append(job) }
            size += job.size
        }

        mutating func popFirst() -> WaitingJob? { counted(free.popFirst() ?? jobs.popFirst()) }

        mutating func popOldest() -> WaitingJob? {
            guard let firstFree = free.first?.inbound, let first = jobs.first?.inbound else { return popFirst() }
            return counted(firstFree.arrivedAt < first.arrivedAt ? free.popFirst() : jobs.popFirst())
        }

        /// Removes the newest job. An exempt job is removed only if no other jobs are left.
        mutating func popLast() -> WaitingJob? { counted(jobs.popLast() ?? free.popLast()) }

        private mutating func counted(_ job: WaitingJob?) -> WaitingJob? {
            if let job { size -= job.size }
            return job
        }
    }

    /// The jobs of each app that has waiting jobs.
    private var queues: [ObjectIdentifier: AppQueue] = [:]
    /// The apps that have jobs, the next one first.
    // why: not an `OrderedDictionary`, because each start removes an app from the middle if the apps before it may not
    // start a job.
    private var turns: Deque<AppLoad> = []
    package private(set) var size = Size()
    package var count: Int { size.jobs }
    var isEmpty: Bool { size.jobs == 0 }

    /// Returns the job that has waited longest among those of certain apps, or `nil` if these apps have no job.
    func oldest(where isCounted: (AppLoad) -> Bool) -> InboundJob? {
        turns.filter(isCounted).compactMap { queues[ObjectIdentifier($0)]?.oldest }.min { $0.arrivedAt < $1.arrivedAt }
    }

    /// Returns the number of the jobs of certain apps.
    func count(where isCounted: (AppLoad) -> Bool) -> Int {
        turns.filter(isCounted).reduce(0) { $0 + (queues[ObjectIdentifier($1)]?.size.jobs ?? 0) }
    }

    package init() {}

    package mutating func append(_ job: WaitingJob) {
        let id = ObjectIdentifier(job.appLoad)
        if queues[id] == nil { turns.append(job.appLoad) }
        queues[id, default: AppQueue()].append(job)
        job.appLoad.append(job)
        size += job.size
    }

    /// Removes and returns the first job of the next app that may start one, or returns `nil` if no app may start a
    /// job.
    ///
    /// - Parameters:
    ///   - mayStart: a closure that returns whether an app may start a job.
    ///   - mustWait: a closure that returns whether an app may only start jobs that are exempt from its pause or rate
    ///     limit.
    package mutating func next(
        where mayStart: (AppLoad) -> Bool, unless mustWait: (AppLoad) -> Bool = { _ in false }
    ) -> WaitingJob? {
        guard let turn = turns.firstIndex(where: { mayStart($0) && (!mustWait($0) || isFirstFree($0)) }) else {
            return nil
        }
        let apps = turns.count
        guard let job = take(at: turn, { $0.popFirst() }) else { return nil }
        if turns.count == apps, turn < apps - 1 { turns.append(turns.remove(at: turn)) }
        return job
    }

    private func isFirstFree(_ app: AppLoad) -> Bool { queues[ObjectIdentifier(app)]?.first?.isFree == true }

    /// Removes and returns a job that exceeds a limit: the newest job of the app that uses the largest share of its
    /// limit. Returns `nil` if neither the app's limit nor the limit of all apps is exceeded, or if the app may start a
    /// job.
    package mutating func surplus(
        over limit: (AppLoad) -> Size, all: Size, where mayStart: (AppLoad) -> Bool
    ) -> WaitingJob? {
        func share(_ turn: Int) -> Double { size(ofTurn: turn).share(of: limit(turns[turn])) }
        guard let turn = turns.indices.max(by: { share($0) < share($1) }),
            share(turn) > 1 || size.share(of: all) > 1, !mayStart(turns[turn])
        else { return nil }
        return take(at: turn) { $0.popLast() }
    }

    /// Removes and returns the newest job of the app that has the most recipients.
    package mutating func newest() -> WaitingJob? {
        func recipients(_ turn: Int) -> Int { size(ofTurn: turn).recipients }
        guard let turn = turns.indices.max(by: { recipients($0) < recipients($1) }) else { return nil }
        return take(at: turn) { $0.popLast() }
    }

    /// Removes and returns the jobs that have waited for `milliseconds` or longer. If the clock was set back, an
    /// arrival time may lie in the future. A job is also removed if its arrival time is `milliseconds` or more ahead of
    /// `now`.
    mutating func removeAll(waitingFor milliseconds: Int64, now: Timestamp) -> [WaitingJob] {
        var all: [WaitingJob] = []
        // The order is reversed, because an app without further jobs is removed from the list.
        for turn in turns.indices.reversed() {
            let app = ObjectIdentifier(turns[turn])
            while let arrival = queues[app]?.oldest?.arrivedAt.milliseconds,
                abs(now.milliseconds - arrival) >= milliseconds,
                let job = take(at: turn, { $0.popOldest() })
            {
                all.append(job)
            }
        }
        return all
    }

    /// Removes all jobs.
    package mutating func removeAll() -> [WaitingJob] {
        var all: [WaitingJob] = []
        while let job = next(where: { _ in true }) { all.append(job) }
        return all
    }

    private func size(ofTurn turn: Int) -> Size { queues[ObjectIdentifier(turns[turn])]?.size ?? Size() }

    private mutating func take(at turn: Int, _ pop: (inout AppQueue) -> WaitingJob?) -> WaitingJob? {
        guard let place = queues.index(forKey: ObjectIdentifier(turns[turn])), let job = pop(&queues.values[place])
        else { return nil }
        if queues.values[place].first == nil {
            queues.remove(at: place)
            turns.remove(at: turn)
        }
        job.appLoad.remove(job)
        size -= job.size
        return job
    }
}
