package import PushModel
import Store

/// What one app has in a worker: jobs that wait, by lane, and recipients that are in flight.
///
/// Only touched on the pipeline's queue.
// why: unchecked for that reason.
package final class AppLoad: @unchecked Sendable {
    /// Of one queue, started and not settled.
    private struct Started {
        var jobs = 0
        var recipients = 0
        var pace = Pace()
    }

    package let app: String
    /// Recipients taken on and not settled: urgent ones, which do not wait behind the app's others, and others.
    private var urgentInFlight = 0
    private var otherInFlight = 0
    /// By ``JobQueue/all``.
    private var started = Array(repeating: Started(), count: JobQueue.all.count)
    /// Where its outcomes are counted.
    private(set) var tally = OutcomeTally.none
    /// It is in the table of apps, so that this stays.
    private var hasTally = false
    /// Jobs decoded and not started, in all lanes.
    package private(set) var waiting = 0
    /// Their recipients, by ``JobQueue/all``.
    private var queued = Array(repeating: 0, count: JobQueue.all.count)
    /// nil: it is sent to as fast as may be.
    private(set) var pacer: Pacer?
    private var pace: AppPace?
    /// Where that is from.
    private var paces = AppPaces.none

    package init(app: String) {
        self.app = app
    }

    /// Once for an app, and for each job of one that is in no table.
    func look(in tallies: AppTallies) {
        if !hasTally { (tally, hasTally) = tallies.tally(of: app) }
    }

    /// It has nothing here.
    var isEmpty: Bool { urgentInFlight + otherInFlight + waiting == 0 }

    /// Nothing would be lost if it were forgotten: of one that is paced it has to be known what was sent lately.
    package func isIdle(_ pacing: Pacing, now: Timestamp) -> Bool {
        guard isEmpty else { return false }
        pass(pacing, now: now)
        return pacer?.isAtRest ?? true
    }

    // MARK: What waits

    func append(_ job: WaitingJob) {
        waiting += 1
        queued[job.inbound.queue.index] += job.size.recipients
    }

    func remove(_ job: WaitingJob) {
        waiting -= 1
        queued[job.inbound.queue.index] -= job.size.recipients
    }

    // MARK: Its pace

    /// What rate it has, and what that allows now.
    func pass(_ pacing: Pacing, now: Timestamp) {
        if pacer != nil { pacer?.pass(to: now, workers: pacing.workers) }
        guard paces !== pacing.paces else { return }
        paces = pacing.paces
        pace = paces[app]
        guard pacer?.rate != pace?.rate else { return }
        guard let rate = pace?.rate else { return pacer = nil }
        if pacer == nil { pacer = Pacer(rate: rate) } else { pacer?.change(to: rate) }
        pacer?.pass(to: now, workers: pacing.workers)
    }

    /// As of ``pass(_:now:)``. A suspect goes alone, whatever else there is.
    func isPaced(in queue: JobQueue) -> Bool {
        guard let pace, queue.isPaceable else { return false }
        return !queue.isUrgent || pace.includesUrgent
    }

    func mustWait(in queue: JobQueue) -> Bool { isPaced(in: queue) && pacer?.maySend == false }

    /// Recipients that may wait in a queue; those in more important ones go first.
    func room(in queue: JobQueue) -> Int { (pacer?.room ?? 0) - queuedBefore(queue) }

    private func queuedBefore(_ queue: JobQueue) -> Int {
        JobQueue.all[..<queue.index].reduce(0) { isPaced(in: $1) ? $0 + queued[$1.index] : $0 }
    }

    func spend(_ recipients: Int, from queue: JobQueue) { if isPaced(in: queue) { pacer?.spend(recipients) } }

    /// For a job that waits no longer here; nil: it need not keep to a rate.
    package func slot(for job: WaitingJob, now: Timestamp) -> Pacer.Slot? {
        let queue = job.inbound.queue
        guard isPaced(in: queue), let rate = pacer?.rate else { return nil }
        if job.isFree { return Pacer.Slot(waitingLonger: job.inbound.paced, rate: rate, now: now) }
        return pacer?.slot(
            for: job.size.recipients, behind: queuedBefore(queue) + queued[queue.index], until: job.job.expiration,
            now: now)
    }

    /// What comes now goes at once: all that is before it may, too.
    func hasNothingBefore(_ queue: JobQueue) -> Bool {
        (pacer?.credit ?? 0) > Double(queuedBefore(queue) + queued[queue.index])
    }

    /// It had a slot that is still to come, and needs it no more.
    func giveBack(_ job: WaitingJob) { pacer?.giveBack(job.size.recipients) }

    // MARK: What is in flight

    /// Of all queues.
    var inFlight: Int { urgentInFlight + otherInFlight }

    /// Recipients settled in a second, of all queues.
    func rate(now: Timestamp) -> Int { started.reduce(0) { $0 + $1.pace.inASecond(now: now).recipients } }

    /// Of the urgent lane, or of all others.
    func inFlight(beside queue: JobQueue) -> Int { queue.isUrgent ? urgentInFlight : otherInFlight }

    func inFlight(of queue: JobQueue) -> Int { started[queue.index].recipients }

    func openJobs(_ queue: JobQueue) -> Int { started[queue.index].jobs }

    func settledJob(of recipients: Int, from queue: JobQueue, at now: Timestamp) {
        started[queue.index].pace.settled(recipients, at: now)
    }

    /// What it gets done in a second, by what it did lately.
    func pace(_ queue: JobQueue, now: Timestamp) -> Pace.Count { started[queue.index].pace.inASecond(now: now) }

    /// A job of so many recipients is started, or, if they are negative, settled.
    func add(_ recipients: Int, from queue: JobQueue) {
        started[queue.index].jobs += recipients.signum()
        started[queue.index].recipients += recipients
        if queue.isUrgent { urgentInFlight += recipients } else { otherInFlight += recipients }
    }
}
