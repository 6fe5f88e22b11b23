import AMQPClient
import PushModel

/// Which job is next: what waits, whose turn it is, what each app and queue may have in flight, and how much the broker
/// is to hand out. A value: no clock, no I/O.
struct Scheduler {
    /// A job that is in flight, as it counts for its app and its queue.
    struct Load {
        fileprivate let app: AppLoad
        fileprivate let queue: JobQueue
        fileprivate let recipients: Int
    }

    /// A job that is in flight no longer.
    struct Released {
        let load: Load
        /// It counts for the pace.
        let isSent: Bool
    }

    /// What the broker is to hand out of an overflow queue from now on.
    struct PrefetchChange {
        let queue: JobQueue
        let prefetch: Int
        /// They were handed out beyond it, and are put back for others.
        let surplus: [WaitingJob]
    }

    private static let millisecondsToNextLook: Int64 = 1_000

    /// How many apps are kept in mind although they have nothing here.
    private static let mostIdleApps = 1_000

    var configuration: PipelineConfiguration
    /// By ``JobQueue/all``, both.
    private var waiting = Array(repeating: FairQueue(), count: JobQueue.all.count)
    private var queues: [QueueLoad]
    private var apps: [String: AppLoad] = [:]
    /// As of this turn.
    var pacing = Pacing()
    private var jobPacers = JobPacers()
    /// When was looked for what has waited for too long.
    private var lastLook = Timestamp(milliseconds: 0)
    /// By ``JobQueue/all``: whether what is in the way may move to the overflow queue.
    private var moves = Array(repeating: MoveControl(), count: JobQueue.all.count)
    /// In this turn something could not start because of its app's rate alone.
    var waitsForPace = false

    init(_ configuration: PipelineConfiguration) {
        self.configuration = configuration
        queues = JobQueue.all.map { queue in
            QueueLoad(prefetch: queue.isOverflow ? PrefetchControl(most: configuration.prefetch(of: queue)) : nil)
        }
    }

    var jobsWaiting: Int { waiting.reduce(0) { $0 + $1.count } }

    /// Of what the broker hands out, in thousandths.
    func prefetchUsed(_ queue: JobQueue) -> Int {
        queues[queue.index].held * 1000 / max(1, configuration.prefetch(of: queue))
    }

    /// Of each queue the one that has been waiting longest.
    var oldestWaiting: [InboundJob] { waiting.compactMap(\.oldest) }

    /// - Parameter oldest: of what is open, by lane.
    func lanes(oldest: [Lane: Timestamp], now: Timestamp) -> [PipelineView.LaneView] {
        Lane.allCases.map { lane in
            let indices = [JobQueue.overflow(lane).index, JobQueue.lane(lane).index]
            let arrival = (indices.map { waiting[$0].oldest?.arrivedAt } + [oldest[lane]]).compactMap(\.self).min()
            return PipelineView.LaneView(
                lane: lane, waiting: indices.reduce(0) { $0 + waiting[$1].count },
                open: indices.reduce(0) { $0 + queues[$1].open },
                rate: indices.reduce(0) { $0 + queues[$1].pace.inASecond(now: now).recipients },
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

    mutating func arrived(_ tag: AMQPDeliveryTag, from queue: JobQueue) { queues[queue.index].arrived(tag) }

    /// Acknowledged or rejected, whatever became of it.
    mutating func settled(_ tag: AMQPDeliveryTag, from queue: JobQueue, now: Timestamp) {
        queues[queue.index].settled(tag, at: now)
    }

    /// The connection is lost over which they came.
    ///
    /// - Returns: what waited, and comes again.
    mutating func disconnected(_ lost: [JobQueue]) -> [WaitingJob] {
        lost.flatMap { queue in
            queues[queue.index].disconnected()
            return refunded(waiting[queue.index].removeAll())
        }
    }

    // MARK: What waits

    /// - Parameter isOver: it is cancelled, too late, or too early.
    mutating func prepare(_ job: Job, _ inbound: InboundJob, isOver: Bool, now: Timestamp) -> WaitingJob {
        let app = load(of: job.app, now: now)
        app.pass(pacing, now: now)
        let size = configuration.fixedChunkSize(of: job, inbound)
        return WaitingJob(
            inbound: inbound, job: job, appLoad: app,
            chunkSize: size ?? pacing.chunkSize(of: job, inbound, app, configuration.limits.chunkSize), isOver: isOver)
    }

    mutating func append(_ job: WaitingJob) { waiting[job.inbound.queue.index].append(job) }

    /// A job that comes, and whose turn is later: by the slot that it has got, or since its own rate says so.
    mutating func slotAhead(of job: inout WaitingJob, now: Timestamp) -> Pacer.Slot? {
        let (inbound, app) = (job.inbound, job.appLoad)
        guard inbound.queue.isPaceable else { return nil }
        if job.isFree {
            if let slot = inbound.slot, slot.due > now { giveBack(slot, of: job) }
            return nil
        }
        // Who had to wait for his app has waited for his own rate before.
        if let earlier = inbound.slot, app.isPaced(in: inbound.queue), earlier.rate == app.pacer?.rate {
            guard earlier.isAhead(now: now) else { return nil }
            guard app.hasNothingBefore(inbound.queue) else { return earlier }
            app.giveBack(job)
            return nil
        }
        guard let own = ownRate(of: job) else { return nil }
        let slot = jobPacers.slot(
            for: job.job, at: own, earlier: inbound.slot, waited: inbound.paced, workers: pacing.workers, now: now)
        job.hasPaid = slot == nil
        return slot
    }

    /// Of a part that a worker has made, where its app's is not lower.
    private func ownRate(of job: WaitingJob) -> Int? {
        let (inbound, app) = (job.inbound, job.appLoad)
        guard let own = job.job.rate, inbound.isWorkers, inbound.part != nil else { return nil }
        return own < (app.isPaced(in: inbound.queue) ? app.pacer?.rate ?? .max : .max) ? own : nil
    }

    /// It needs its slot no more, which is still to come.
    private mutating func giveBack(_ slot: Pacer.Slot, of job: WaitingJob) {
        if job.appLoad.isPaced(in: job.inbound.queue), slot.rate == job.appLoad.pacer?.rate {
            job.appLoad.giveBack(job)
        } else {
            jobPacers.giveBack(job.job, at: slot.rate)
        }
    }

    /// Where a job goes that waits no longer here: when its turn is; nil: to the overflow queue.
    mutating func putOff(_ job: WaitingJob, now: Timestamp) -> Pacer.Slot? {
        if let slot = job.appLoad.slot(for: job, now: now) { return slot }
        _ = refunded([job])
        return nil
    }

    /// They leave without having been started, and without a slot: they will pay when they come again.
    private mutating func refunded(_ jobs: [WaitingJob]) -> [WaitingJob] {
        for job in jobs where job.hasPaid { if let own = job.job.rate { jobPacers.refund(job.job, at: own) } }
        return jobs
    }

    /// - Throws: why all of a job that is to be split can't have its turn in time.
    func check(_ job: WaitingJob) throws(JobRejection) {
        guard job.isToBeSplit, let rate = pacing.rate(of: job.job, job.inbound, job.appLoad) else { return }
        if let refusal = PaceLimit(job.job, configuration.limits).refusal(of: job.job, at: rate) { throw refusal }
    }

    /// Its slot is further away than a job waits for: it gives it back.
    mutating func refuse(_ job: WaitingJob, _ slot: Pacer.Slot, now: Timestamp) -> JobRejection? {
        guard pacing.workers != nil else { return nil }
        let limit = PaceLimit(job.job, configuration.limits)
        guard let refusal = limit.refusal(of: job, until: slot, now: now) else { return nil }
        if !job.isFree { giveBack(slot, of: job) }
        return refusal
    }

    private mutating func load(of app: String, now: Timestamp) -> AppLoad {
        if let load = apps[app] { return load }
        if apps.count >= Self.mostIdleApps { apps = apps.filter { !$1.isIdle(pacing, now: now) } }
        let load = AppLoad(app: app)
        apps[app] = load
        return load
    }

    func isEmpty(_ queue: JobQueue) -> Bool { waiting[queue.index].count == 0 }

    /// - Parameter owing: recipients taken on and not settled, of all jobs.
    mutating func next(of queue: JobQueue, owing: Int, now: Timestamp) -> WaitingJob? {
        guard freeRoom(for: queue, owing) > 0 else { return nil }
        let (rule, index, pacing) = (startRule(queue, owing, now), queue.index, pacing)
        var waitsForPace = false
        let next = waiting[index].next(where: rule.allows) { app in
            app.pass(pacing, now: now)
            guard app.mustWait(in: queue) else { return false }
            waitsForPace = true
            return true
        }
        if waitsForPace { self.waitsForPace = true }
        return next
    }

    /// What an app has beyond its measure, and is in the way of others; of overflow queues only what is paced. There the first
    /// few jobs are all that is to be seen, so that who may not send now takes no place.
    mutating func surplus(of queue: JobQueue, owing: Int, now: Timestamp) -> WaitingJob? {
        let index = queue.index
        guard queue.isPaceable, moves[index].mayMove(now: now) else { return nil }
        let (start, rule) = (startRule(queue, owing, now), holdingRule(queue))
        return waiting[index].surplus(
            over: { app in
                guard app.isPaced(in: queue) else {
                    return queue.isOverflow ? .unlimited : rule.waiting(app.pace(queue, now: now))
                }
                return queue.isOverflow && app.mustWait(in: queue) ? .nothing : rule.waiting(room: app.room(in: queue))
            },
            all: queue.isOverflow ? .unlimited : rule.waitingOfAll(queues[index].pace.inASecond(now: now)),
            where: { start.allows($0) && !$0.mustWait(in: queue) })
    }

    /// What has waited here for so long that it is to wait in the broker, where others may take it: others may have all the room for
    /// as long as they have work. Looked for once a second.
    mutating func overdue(now: Timestamp) -> [WaitingJob] {
        guard abs(now.milliseconds - lastLook.milliseconds) >= Self.millisecondsToNextLook else { return [] }
        lastLook = now
        let longest = Int64(configuration.limits.longestWait) * 1_000
        return waiting.indices.flatMap {
            moves[$0].mayMove(now: now) ? waiting[$0].removeAll(waitingFor: longest, now: now) : []
        }
    }

    /// The broker would not take it in the overflow queue: it waits here again, and others of its queue are left here for a while.
    mutating func moveRefused(_ job: WaitingJob, now: Timestamp) {
        moves[job.inbound.queue.index].refused(now: now)
        var job = job
        // It was given back when it left.
        job.hasPaid = false
        append(job)
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
        if case .lane = queue, configuration.limits.appShare < 100 {
            // At least one may: deliveries of a connection that was lost are open for a while, and take none of the
            // prefetch.
            rule.freePlaces = max(1, configuration.prefetch(of: queue) - queues[queue.index].open)
        }
        return rule
    }

    /// Recipients that jobs of this queue may still bring in.
    private func freeRoom(for queue: JobQueue, _ owing: Int) -> Int {
        let room = configuration.limits.maximumInFlight
        let kept = queue.isUrgent ? 0 : room * configuration.limits.urgentShare / 100
        return room - kept - owing
    }

    // MARK: What is in flight

    /// A job of so many recipients is taken on.
    mutating func take(_ recipients: Int, of app: AppLoad, from queue: JobQueue) -> Load {
        let load = Load(app: app, queue: queue, recipients: recipients)
        load.app.add(recipients, from: load.queue)
        queues[load.queue.index].open += 1
        return load
    }

    mutating func release(_ released: Released, now: Timestamp) {
        let load = released.load
        load.app.add(-load.recipients, from: load.queue)
        queues[load.queue.index].open -= 1
        guard released.isSent else { return }
        load.app.settledJob(of: load.recipients, from: load.queue, at: now)
        queues[load.queue.index].pace.settled(load.recipients, at: now)
    }

    // MARK: What the broker hands out of the overflow queues

    /// At the end of every turn.
    ///
    /// - Returns: whether the beat is to go on: something of them is here, or would be let in at once.
    mutating func watchPrefetch() -> Bool {
        var isToBeWatched = false
        for queue in JobQueue.overflows {
            let index = queue.index
            let held = queues[index].held
            if held > 0 || queues[index].prefetch?.isAtLeast == false { isToBeWatched = true }
            queues[index].prefetch?.holds(held)
        }
        return isToBeWatched
    }

    mutating func beat(now: Timestamp) -> [PrefetchChange] { JobQueue.overflows.compactMap { beat($0, now) } }

    private mutating func beat(_ queue: JobQueue, _ now: Timestamp) -> PrefetchChange? {
        let index = queue.index
        let pace = queues[index].pace.inASecond(now: now).recipients
        let isSettling = queues[index].isSettling(now: now)
        guard let before = queues[index].prefetch?.prefetch,
            let prefetch = queues[index].prefetch?.beat(
                waiting: waiting[index].size.recipients, pace: pace, isSettling: isSettling)
        else { return nil }
        var surplus: [WaitingJob] = []
        // Once: no more of it comes.
        while moves[index].mayMove(now: now), prefetch < before,
            waiting[index].size.recipients > max(pace, HoldingRule.leastInFlight),
            let job = waiting[index].newest()
        {
            surplus.append(job)
        }
        return PrefetchChange(queue: queue, prefetch: prefetch, surplus: surplus)
    }
}
