import PushModel

/// What one app has in a worker: jobs that wait, by lane, and recipients that are in flight.
///
/// Only touched on the pipeline's queue.
// why: unchecked for that reason.
package final class AppUse: @unchecked Sendable {
    package let app: String
    /// Recipients taken on and not settled: urgent ones, which do not wait behind the app's others, and others.
    var urgentInFlight = 0
    var otherInFlight = 0
    /// Jobs started and not settled, by ``JobQueue/all``.
    private var open = Array(repeating: 0, count: JobQueue.all.count)
    /// By ``JobQueue/all``, too.
    private var paces = Array(repeating: Pace(), count: JobQueue.all.count)
    /// Jobs decoded and not started, in all lanes.
    package var waiting = 0

    package init(app: String) {
        self.app = app
    }

    var isIdle: Bool { urgentInFlight + otherInFlight + waiting == 0 }

    func inFlight(_ queue: JobQueue) -> Int { queue.isUrgent ? urgentInFlight : otherInFlight }

    func openJobs(_ queue: JobQueue) -> Int { open[queue.index] }

    func settledJob(from queue: JobQueue, at now: Timestamp) { paces[queue.index].settled(at: now) }

    /// Jobs that it gets done in half a second, by what it did lately.
    func pace(_ queue: JobQueue, now: Timestamp) -> Int { paces[queue.index].inHalfASecond(now: now) }

    /// A job of so many recipients is started, or, if they are negative, settled.
    func add(_ recipients: Int, from queue: JobQueue) {
        open[queue.index] += recipients.signum()
        if queue.isUrgent { urgentInFlight += recipients } else { otherInFlight += recipients }
    }
}

/// How much of a worker's room an app may take: so many times what is free (Choudhury and Hahne, "Dynamic Queue
/// Length Thresholds for Shared-Memory Packet Switches", 1998). One busy app gets its whole share, several get
/// less each, and some is always left for one that comes new.
package struct AppShare {
    /// Of everything, in percent: what one app alone may take.
    let percent: Int

    package init(percent: Int) {
        self.percent = percent
    }

    package func allows(_ inFlight: Int, free: Int) -> Bool {
        percent >= 100 ? free > 0 : inFlight * (100 - percent) < free * percent
    }
}
