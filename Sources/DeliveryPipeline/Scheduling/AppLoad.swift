import PushModel

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
    package var waiting = 0

    package init(app: String) {
        self.app = app
    }

    /// Once for an app, and for each job of one that is in no table.
    func look(in tallies: AppTallies) {
        if !hasTally { (tally, hasTally) = tallies.tally(of: app) }
    }

    var isIdle: Bool { urgentInFlight + otherInFlight + waiting == 0 }

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
