import AMQPClient
import Contract
import PushModel

/// The scheduler of jobs. It decides which waiting job is next, how much each app and queue may have in flight, and
/// what prefetch each waiting queue has. A value type without clock or I/O.
struct Scheduler {
    /// The capacity that a job in flight takes in its app and its queue.
    struct Load {
        fileprivate let app: AppLoad
        fileprivate let queue: JobQueue
        fileprivate let recipients: Int
    }

    /// The capacity of a job that is no longer in flight and must be released.
    struct Released {
        let load: Load
        /// Whether the job was sent, so that it counts for the throughput.
        let isSent: Bool
    }

    /// The prefetch to set for a waiting queue, and the waiting jobs to move.
    struct PrefetchChange {
        let queue: JobQueue
        let prefetch: Int
        /// The waiting jobs to move, so that other workers can receive them. Usually these are the jobs beyond about
        /// one second of work.
        let surplus: [WaitingJob]
    }

    private static let millisecondsToNextLook: Int64 = 1_000

    /// The number of tracked apps at or above which idle apps are removed before another app is added.
    private static let mostIdleApps = 1_000

    var configuration: PipelineConfiguration
    /// The waiting jobs, by the queue's index.
    private var waiting = Array(repeating: FairQueue(), count: JobQueue.all.count)
    /// The load of each queue, by the queue's index.
    private var queues: [QueueLoad]
    private var apps: [String: AppLoad] = [:]
    /// The queues with waiting jobs. Until the end of the turn, queues without waiting jobs may be among them.
    var busy = BusyQueues()
    /// The waiting queues whose prefetch may change: this worker has held deliveries of them since the last adjustment,
    /// or the prefetch is not the initial one.
    private var watched = QueueSet()
    /// The rate limits and the number of workers in this turn.
    var rateLimits = RateLimits()
    private var jobPacers = JobRateLimiters()
    /// The time of the last search for jobs that have waited too long.
    private var lastLook = Timestamp(milliseconds: 0)
    /// The back-off for moving jobs to another queue, by the index of the jobs' present queue.
    private var moves = Array(repeating: MoveControl(), count: JobQueue.all.count)
    /// The waiting queues from which at most one job starts every five seconds, because this worker could not connect
    /// to send jobs from them. The other jobs stay in the queue for workers that can connect.
    var slowed = QueueSet()
    /// Whether at least one job could not start in this turn only because of its app's rate limit, or because its app
    /// is paused and the job must still move to a waiting queue.
    var waitsForPace = false

    init(_ configuration: PipelineConfiguration) {
        self.configuration = configuration
        queues = JobQueue.all.map { queue in
            QueueLoad(prefetch: queue.isWaiting ? PrefetchControl(most: configuration.prefetch(of: queue)) : nil)
        }
    }

    /// The number of waiting jobs, except for jobs of paused apps.
    var jobsWaiting: Int { waiting.reduce(0) { $0 + $1.count(where: { !$0.isPaused }) } }

    /// Returns the used part of a queue's prefetch, in thousandths.
    func prefetchUsed(_ queue: JobQueue) -> Int {
        queues[queue.index].held * 1000 / max(1, configuration.prefetch(of: queue))
    }

    /// The job of each queue that has waited longest, except for jobs of apps that must wait.
    var oldestWaiting: [InboundJob] { JobQueue.all.compactMap(oldest) }

    private func oldest(in queue: JobQueue) -> InboundJob? {
        waiting[queue.index].oldest { !$0.mustWait(in: queue) }
    }

    /// Returns the state of each lane.
    ///
    /// - Parameter oldest: the arrival of the oldest open job, by lane.
    func lanes(oldest: [Lane: Timestamp], now: Timestamp) -> [PipelineView.LaneView] {
        Lane.allCases.map { lane in
            let all = JobQueue.all.filter { $0.lane == lane }
            let arrival = (all.map { self.oldest(in: $0)?.arrivedAt } + [oldest[lane]]).compactMap(\.self).min()
            let indices = all.map(\.index)
            return PipelineView.LaneView(
                lane: lane, waiting: indices.reduce(0) { $0 + waiting[$1].count },
                open: indices.reduce(0) { $0 + queues[$1].open },
                rate: indices.reduce(0) { $0 + queues[$1].throughput.inASecond(now: now).recipients },
                age: arrival.map { Int(max(0, now.seconds - $0.seconds)) } ?? 0)
        }
    }

    func appViews(now: Timestamp) -> [PipelineView.AppView] {
        apps.values.compactMap { load in
            let rate = load.rate(now: now)
            guard !load.isEmpty || rate > 0 else { return nil }
            return PipelineView.AppView(app: load.app, waiting: load.waiting, inFlight: load.inFlight, rate: rate)
        }
    }

    // MARK: Deliveries

    mutating func arrived(_ tag: AMQPDeliveryTag, from queue: JobQueue) {
        queues[queue.index].arrived(tag)
        if queue.isWaiting { watched.insert(queue) }
    }

    /// Counts a delivery that was acknowledged or rejected.
    mutating func settled(_ tag: AMQPDeliveryTag, from queue: JobQueue, now: Timestamp) {
        queues[queue.index].settled(tag, at: now)
    }

    mutating func connected(_ opened: [JobQueue], now: Timestamp) { queues.connected(opened, now: now) }

    /// Handles the loss of the connection that consumes these queues.
    ///
    /// - Returns: the waiting jobs of the queues. The broker redelivers them.
    mutating func disconnected(_ lost: [JobQueue]) -> [WaitingJob] {
        lost.flatMap { queue in
            queues[queue.index].disconnected()
            return refunded(waiting[queue.index].removeAll())
        }
    }

    // MARK: Waiting jobs

    /// Creates the waiting job of a decoded delivery.
    ///
    /// - Parameter isOver: whether no push of the job would be sent now, for example because the job is cancelled or
    ///   expired.
    mutating func prepare(_ job: Job, _ inbound: InboundJob, isOver: Bool, now: Timestamp) -> WaitingJob {
        let app = load(of: job.app, now: now)
        app.pass(rateLimits, now: now)
        let size = configuration.fixedChunkSize(of: job, inbound)
        return WaitingJob(
            inbound: inbound, job: job, appLoad: app,
            chunkSize: size ?? rateLimits.chunkSize(of: job, inbound, app, configuration.limits.chunkSize),
            isOver: isOver, isLarge: inbound.delivery.size >= configuration.largeJobBytes)
    }

    mutating func append(_ job: WaitingJob, now: Timestamp) {
        let index = job.inbound.queue.index
        waiting[index].append(job)
        busy.insert(job.inbound.queue)
        if job.inbound.queue.isWaiting { queues[index].occupy(job.appLoad, at: now) }
    }

    /// Lets a job leave this worker unstarted. A charge to the job's own rate is refunded, because the job is charged
    /// again when it returns.
    ///
    /// - Returns: the suspects, a waiting queue without known jobs of other apps, or a delay queue if no waiting queue
    ///   is free. A job that waits for its app's rate limit in delay queues also gets its slot, which takes precedence
    ///   over the delay queue.
    mutating func leave(_ job: WaitingJob, now: Timestamp) -> (OutboundMessages.Destination, RateLimiter.Slot?) {
        _ = refunded([job])
        guard let lane = job.inbound.queue.lane else { return (job.inbound.home, nil) }
        if let number = queues.occupyWaitingQueue(of: lane, for: job, now: now) { return (.waiting(number), nil) }
        return (.delay(seconds: job.appLoad.delay(of: job)), job.appLoad.slot(for: job, now: now))
    }

    /// Returns the time slot of a job that must wait in the broker: for its own rate, or until the slot that it already
    /// has under its app's rate limit. Returns `nil` if the job can be queued now.
    mutating func slot(of job: inout WaitingJob, now: Timestamp) -> RateLimiter.Slot? {
        let inbound = job.inbound
        guard inbound.queue.isPaceable else { return nil }
        if job.isFree {
            if let slot = inbound.slot, slot.due > now {
                jobPacers.releaseSlot(of: job.job, at: slot.rate)
                job.appLoad.release(slot, of: job)
            }
            return nil
        }
        guard let own = ownRate(of: job) else { return job.appLoad.slotAhead(of: inbound, now: now) }
        let slot = jobPacers.slot(
            for: job.job, at: own, earlier: inbound.slot, waited: inbound.paced, workers: rateLimits.workers, now: now)
        job.hasPaid = slot == nil
        return slot
    }

    /// Returns the job's own rate, or `nil` if it does not apply. The rate applies only to parts that a worker made,
    /// and only if it is lower than the app's rate.
    private func ownRate(of job: WaitingJob) -> Int? {
        let (inbound, app) = (job.inbound, job.appLoad)
        guard let own = job.job.rate, inbound.isWorkers, inbound.part != nil else { return nil }
        return own < (app.isPaced(in: inbound.queue) ? app.limiter?.rate ?? .max : .max) ? own : nil
    }

    /// Refunds the charges of jobs that leave this worker unstarted. They are charged again when they return.
    private mutating func refunded(_ jobs: [WaitingJob]) -> [WaitingJob] {
        for job in jobs where job.hasPaid { if let own = job.job.rate { jobPacers.refund(job.job, at: own) } }
        return jobs
    }

    /// Checks whether a job can be sent in time under its rate limit.
    ///
    /// - Throws: `JobRejection` if a job that will be split has too many recipients, or if a job has waited too long.
    func check(_ job: WaitingJob, now: Timestamp) throws(JobRejection) {
        guard let rate = rateLimits.rate(of: job.job, job.inbound, job.appLoad) else { return }
        let limit = RateWaitLimit(job.job, configuration.limits)
        if job.isToBeSplit, let refusal = limit.refusal(of: job.job, at: rate) { throw refusal }
        if let refusal = limit.refusal(of: job, at: rate, now: now) { throw refusal }
    }

    /// Returns a rejection if a job would wait too long until its slot, and releases the slot. Returns `nil` if the
    /// slot is early enough or the number of workers is unknown.
    mutating func refuse(_ job: WaitingJob, _ slot: RateLimiter.Slot, now: Timestamp) -> JobRejection? {
        let limit = RateWaitLimit(job.job, configuration.limits)
        guard rateLimits.workers != nil, let refusal = limit.refusal(of: job, until: slot, now: now) else { return nil }
        jobPacers.releaseSlot(of: job.job, at: slot.rate)
        job.appLoad.release(slot, of: job)
        return refusal
    }

    private mutating func load(of app: String, now: Timestamp) -> AppLoad {
        if let load = apps[app] { return load }
        if apps.count >= Self.mostIdleApps { apps = apps.filter { !$1.isIdle(rateLimits, now: now) } }
        let load = AppLoad(app: app)
        apps[app] = load
        return load
    }

    mutating func forgetIdleQueues() {
        let waiting = waiting
        busy.remove { waiting[$0.index].isEmpty }
    }

    /// Returns the next job of a queue that may start, or `nil` if there is none.
    ///
    /// - Parameter owing: the number of recipients in flight, of all jobs.
    mutating func next(of queue: JobQueue, owing: Int, now: Timestamp) -> WaitingJob? {
        guard freeRoom(for: queue, owing) > 0, queues.mayStart(queue, slowed, now: now) else { return nil }
        let (rule, index, rateLimits) = (startRule(queue, owing, now), queue.index, rateLimits)
        var waitsForPace = false
        let next = waiting[index].next(where: rule.allows) { app in
            app.pass(rateLimits, now: now)
            guard app.mustWait(in: queue) else { return false }
            // A job of a paused app stays in a waiting queue, but must leave any other queue.
            if !app.isPaused || !queue.isWaiting { waitsForPace = true }
            return true
        }
        if waitsForPace { self.waitsForPace = true }
        if next != nil { queues[index].started(at: now) }
        return next
    }

    /// Removes and returns the next job to move to another queue, because its app is paused, or because the waiting
    /// jobs of its app or of all apps exceed their limit. Returns `nil` if there is none, or while this worker does not
    /// yet know which waiting queues are in use. Jobs of a waiting queue stay, because the queue's prefetch limits
    /// their number.
    mutating func surplus(of queue: JobQueue, owing: Int, now: Timestamp) -> WaitingJob? {
        let index = queue.index
        guard let lane = queue.lane, !queue.isWaiting, moves[index].mayMove(now: now),
            queues[JobQueue.waiting(lane, 0).index].isKnown(now: now)
        else { return nil }
        let (start, rule) = (startRule(queue, owing, now), holdingRule(queue))
        return waiting[index].surplus(
            over: { app in
                if app.isPaused { return .nothing }
                return app.isPaced(in: queue)
                    ? rule.waiting(room: app.room(in: queue)) : rule.waiting(app.throughput(queue, now: now))
            },
            all: rule.waitingOfAll(queues[index].throughput.inASecond(now: now), open: queues[index].open),
            where: { start.allows($0) && !$0.mustWait(in: queue) })
    }

    /// Removes the jobs that have waited too long, at most once a second. They move to a delay or waiting queue, from
    /// which other workers receive them. In this worker they might never start, because other apps may use the whole
    /// capacity as long as they have jobs.
    mutating func overdue(now: Timestamp) -> [WaitingJob] {
        guard abs(now.milliseconds - lastLook.milliseconds) >= Self.millisecondsToNextLook else { return [] }
        lastLook = now
        let longest = Int64(configuration.limits.longestWait) * 1_000
        return waiting.indices.flatMap {
            moves[$0].mayMove(now: now) ? waiting[$0].removeAll(waitingFor: longest, now: now) : []
        }
    }

    /// Returns a job to the waiting jobs after the broker refused to move it. Further moves from the same queue are
    /// paused.
    mutating func moveRefused(_ job: WaitingJob, now: Timestamp) {
        moves[job.inbound.queue.index].refused(now: now)
        var job = job
        // The charge was refunded when the job left.
        job.hasPaid = false
        append(job, now: now)
    }

    mutating func moved(_ job: WaitingJob) { moves[job.inbound.queue.index] = MoveControl() }

    mutating func removeAll() -> [WaitingJob] { refunded(waiting.indices.flatMap { waiting[$0].removeAll() }) }

    private func holdingRule(_ queue: JobQueue) -> HoldingRule {
        HoldingRule(
            places: configuration.prefetch(of: queue), bytes: configuration.prefetchBytes,
            chunkSize: configuration.limits.chunkSize)
    }

    private func startRule(_ queue: JobQueue, _ owing: Int, _ now: Timestamp) -> StartRule {
        var rule = StartRule(
            queue: queue, share: AppShare(percent: configuration.limits.appShare),
            freeRoom: freeRoom(for: queue, owing), now: now)
        if queue.lane != nil, !queue.isWaiting, configuration.limits.appShare < 100 {
            // The minimum of one place is necessary because deliveries of a lost connection stay open for a while. They
            // do not count towards the prefetch.
            rule.freePlaces = max(1, configuration.prefetch(of: queue) - queues[queue.index].open)
        }
        return rule
    }

    /// Returns the number of recipients that jobs of a queue may add to those in flight.
    private func freeRoom(for queue: JobQueue, _ owing: Int) -> Int {
        let room = configuration.limits.maximumInFlight
        let kept = queue.isUrgent ? 0 : room * configuration.limits.urgentShare / 100
        return room - kept - owing
    }

    // MARK: In flight

    /// Counts a job with a number of recipients as in flight, and returns the capacity that it takes.
    mutating func take(_ recipients: Int, of app: AppLoad, from queue: JobQueue) -> Load {
        app.add(recipients, from: queue)
        queues[queue.index].open += 1
        return Load(app: app, queue: queue, recipients: recipients)
    }

    mutating func release(_ released: Released, now: Timestamp) {
        let load = released.load
        load.app.add(-load.recipients, from: load.queue)
        queues[load.queue.index].open -= 1
        guard released.isSent else { return }
        load.app.settledJob(of: load.recipients, from: load.queue, at: now)
        queues[load.queue.index].throughput.settled(load.recipients, at: now)
    }

    // MARK: Prefetch of the waiting queues

    /// Records how many deliveries of each waiting queue this worker holds. The core calls this method at the end of
    /// every turn.
    ///
    /// - Returns: whether the prefetch must be adjusted periodically. That is the case if deliveries are held or a
    ///   prefetch is not the initial one.
    mutating func watchPrefetch() -> Bool {
        guard !watched.isEmpty else { return false }
        for queue in watched.queues {
            let held = queues[queue.index].held
            queues[queue.index].prefetch?.holds(held)
        }
        return true
    }

    mutating func beat(now: Timestamp) -> [PrefetchChange] {
        let changes = watched.queues.compactMap { beat($0, now) }
        for queue in watched.queues where queues[queue.index].isAtRest { watched.remove(queue) }
        return changes
    }

    private mutating func beat(_ queue: JobQueue, _ now: Timestamp) -> PrefetchChange? {
        let index = queue.index
        let throughput = queues[index].throughput.inASecond(now: now).recipients
        let isSettling = queues[index].isSettling(now: now)
        guard let before = queues[index].prefetch?.prefetch,
            let prefetch = queues[index].prefetch?.beat(
                waiting: waiting[index].size.recipients, throughput: throughput, isSettling: isSettling)
        else {
            let isExchanged =
                !waiting[index].isEmpty && moves[index].mayMove(now: now) && queues[index].exchanges(at: now)
            guard isExchanged, let prefetch = queues[index].prefetch?.prefetch else { return nil }
            return PrefetchChange(queue: queue, prefetch: prefetch, surplus: waiting[index].removeAll())
        }
        var surplus: [WaitingJob] = []
        // The lower prefetch keeps the broker from sending the same number of jobs again.
        while moves[index].mayMove(now: now), prefetch < before,
            waiting[index].size.recipients > max(throughput, HoldingRule.leastInFlight)
                || waiting[index].size.jobs > prefetch && waiting[index].size.bytes > configuration.largeJobBytes,
            let job = waiting[index].newest()
        {
            surplus.append(job)
        }
        return PrefetchChange(queue: queue, prefetch: prefetch, surplus: surplus)
    }
}
