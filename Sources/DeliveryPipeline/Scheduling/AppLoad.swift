import Contract
package import PushModel
import Store
import Routing

/// The load of one app in a worker: its waiting jobs and its recipients in flight, by queue.
///
/// Only the pipeline's queue uses this object.
// why: unchecked, because only one queue accesses it.
package final class AppLoad: @unchecked Sendable {
    /// The jobs of one queue that were started and not yet settled.
    private struct Started {
        var jobs = 0
        var recipients = 0
        var throughput = Throughput()
    }

    package let app: String
    /// The number of urgent recipients in flight. They are counted separately, because they do not wait behind the
    /// app's other recipients.
    private var urgentInFlight = 0
    /// The number of recipients in flight that are not urgent.
    private var otherInFlight = 0
    /// The started jobs, by the queue's kind.
    private var started = Array(repeating: Started(), count: JobQueue.kinds.count)
    /// The counters for the app's outcomes.
    private(set) var tally = OutcomeTally.none
    /// Whether ``tally`` is final, because the app is registered.
    private var hasTally = false
    /// The number of jobs that were decoded and not yet started, in all queues.
    package private(set) var waiting = 0
    /// The number of recipients of the waiting jobs, by the queue's kind.
    private var queued = Array(repeating: 0, count: JobQueue.kinds.count)
    /// The numbers of the waiting queues that the app's jobs may use, the preferred one first. `held` applies while the
    /// jobs are paused or rate-limited, and `other` at all other times.
    private let waitingQueues: (held: [Int], other: [Int])
    /// The shortest delay of a job for which no waiting queue is free, in seconds, and the longest delay:
    /// `longestPause` if the app is paused, and `longestDelay` otherwise.
    private static let (shortestDelay, longestDelay, longestPause) = (1, 120, 900)
    /// The rate limiter, or `nil` if the app has no rate limit.
    private(set) var limiter: RateLimiter?
    /// Whether an operator has paused the app.
    private(set) var isPaused = false
    /// The app's entry in the table of rate limits, or `nil` if it has no rate limit.
    private var rateLimit: AppRateLimit?
    /// The table of rate limits from which ``rateLimit`` was read.
    private var limits = AppRateLimits.none

    package init(app: String) {
        self.app = app
        waitingQueues = (
            WaitingQueueChoice.numbers(of: app, isHeld: true), WaitingQueueChoice.numbers(of: app, isHeld: false)
        )
    }

    /// Sets ``tally``, unless it is already final.
    func look(in tallies: AppTallies) {
        if !hasTally { (tally, hasTally) = tallies.tally(of: app) }
    }

    /// Whether the app has neither waiting jobs nor recipients in flight.
    var isEmpty: Bool { urgentInFlight + otherInFlight + waiting == 0 }

    /// Returns whether the app's state can be discarded. The state of a rate-limited app must be kept while its rate
    /// limiter has a debt or future slots.
    package func isIdle(_ rateLimits: RateLimits, now: Timestamp) -> Bool {
        guard isEmpty else { return false }
        pass(rateLimits, now: now)
        return limiter?.isAtRest ?? true
    }

    // MARK: Waiting jobs

    func append(_ job: WaitingJob) {
        waiting += 1
        queued[job.inbound.queue.kind] += job.size.recipients
    }

    func remove(_ job: WaitingJob) {
        waiting -= 1
        queued[job.inbound.queue.kind] -= job.size.recipients
    }

    // MARK: Rate limit

    /// Updates the app's rate limit from the current table, and advances its rate limiter to the current time.
    func pass(_ rateLimits: RateLimits, now: Timestamp) {
        if limiter != nil { limiter?.pass(to: now, workers: rateLimits.workers) }
        guard limits !== rateLimits.limits else { return }
        limits = rateLimits.limits
        isPaused = limits.isPaused(app)
        rateLimit = limits[app]
        guard limiter?.rate != rateLimit?.rate else { return }
        guard let rate = rateLimit?.rate else { return limiter = nil }
        if limiter == nil { limiter = RateLimiter(rate: rate) } else { limiter?.change(to: rate) }
        limiter?.pass(to: now, workers: rateLimits.workers)
    }

    /// Returns whether the app's rate limit applies to a queue, as of the last call of ``pass(_:now:)``. It does not
    /// apply to suspects, which are sent one at a time.
    func isPaced(in queue: JobQueue) -> Bool {
        guard let rateLimit, queue.isPaceable else { return false }
        return !queue.isUrgent || rateLimit.includesUrgent
    }

    /// Returns whether the app may start only exempt jobs (``WaitingJob/isFree``) from a queue, because of a pause or a
    /// rate limit.
    func mustWait(in queue: JobQueue) -> Bool {
        isPaused && queue.isPaceable || isPaced(in: queue) && limiter?.maySend == false
    }

    /// Returns the number of recipients that may wait in a queue. The recipients that wait in queues of higher priority
    /// are already subtracted.
    func room(in queue: JobQueue) -> Int { (limiter?.room ?? 0) - queuedBefore(queue) }

    private func queuedBefore(_ queue: JobQueue) -> Int {
        JobQueue.kinds[..<queue.kind].reduce(0) { isPaced(in: $1) ? $0 + queued[$1.kind] : $0 }
    }

    func spend(_ recipients: Int, from queue: JobQueue) { if isPaced(in: queue) { limiter?.spend(recipients) } }

    // MARK: Waiting in the broker

    /// Returns whether jobs of a queue may have to wait for a long time, because of a pause or a rate limit.
    private func isHeld(in queue: JobQueue) -> Bool { isPaused || isPaced(in: queue) }

    /// Returns the numbers of the waiting queues that a job may use, the preferred one first. The list is empty for a
    /// large job of a paused or rate-limited app, because all waiting queues of a connection share a limit on bytes.
    func waitingQueues(for job: WaitingJob) -> [Int] {
        guard isHeld(in: job.inbound.queue) else { return waitingQueues.other }
        return job.isLarge ? [] : waitingQueues.held
    }

    /// Returns the time slot of a job that must wait for the rate limit and for which no waiting queue is free. Returns
    /// `nil` if the job does not wait for the rate limit.
    func slot(for job: WaitingJob, now: Timestamp) -> RateLimiter.Slot? {
        let queue = job.inbound.queue
        guard !isPaused, !job.isFree, isPaced(in: queue) else { return nil }
        return limiter?.slot(
            for: job.size.recipients, behind: queuedBefore(queue) + queued[queue.kind], until: job.job.expiration,
            now: now)
    }

    /// Returns the slot that a job has under the present rate limit, or `nil` if it has none or the slot is not ahead.
    /// Without this check, a job that returns from a delay queue before its slot would reserve time again.
    func slotAhead(of inbound: InboundJob, now: Timestamp) -> RateLimiter.Slot? {
        guard !isPaused, isPaced(in: inbound.queue), let slot = inbound.slot, slot.rate == limiter?.rate else {
            return nil
        }
        return slot.isAhead(now: now) ? slot : nil
    }

    /// Releases the slot of a job that no longer needs it.
    func release(_ slot: RateLimiter.Slot, of job: WaitingJob) {
        if slot.rate == limiter?.rate { limiter?.releaseSlot(of: job.size.recipients) }
    }

    /// Returns the delay of a job that does not wait for the rate limit and for which no waiting queue is free, in
    /// seconds. The delay grows with the time that the job has waited so far, up to a maximum.
    func delay(of job: WaitingJob) -> Int {
        let wait = min(isPaused ? Self.longestPause : Self.longestDelay, max(Self.shortestDelay, job.inbound.paced))
        return ScheduleDelays.delays.last { $0 <= wait } ?? Self.shortestDelay
    }

    // MARK: In flight

    /// The number of recipients in flight, in all queues.
    var inFlight: Int { urgentInFlight + otherInFlight }

    /// Returns the number of recipients settled per second, in all queues.
    func rate(now: Timestamp) -> Int { started.reduce(0) { $0 + $1.throughput.inASecond(now: now).recipients } }

    /// Returns the number of recipients in flight that share capacity with a queue: the urgent ones, or all others.
    func inFlight(beside queue: JobQueue) -> Int { queue.isUrgent ? urgentInFlight : otherInFlight }

    func inFlight(of queue: JobQueue) -> Int { started[queue.kind].recipients }

    func openJobs(_ queue: JobQueue) -> Int { started[queue.kind].jobs }

    func settledJob(of recipients: Int, from queue: JobQueue, at now: Timestamp) {
        started[queue.kind].throughput.settled(recipients, at: now)
    }

    /// Returns the app's recent throughput in a queue, per second.
    func throughput(_ queue: JobQueue, now: Timestamp) -> Throughput.Count {
        started[queue.kind].throughput.inASecond(now: now)
    }

    /// Counts a started job, or a job that is no longer in flight if the number of recipients is negative.
    func add(_ recipients: Int, from queue: JobQueue) {
        started[queue.kind].jobs += recipients.signum()
        started[queue.kind].recipients += recipients
        if queue.isUrgent { urgentInFlight += recipients } else { otherInFlight += recipients }
    }
}
