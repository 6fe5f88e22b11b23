import Contract
import PushModel

/// The rule that decides whether an app may start another job from a queue.
struct StartRule {
    let queue: JobQueue
    let share: AppShare
    let freeRoom: Int
    let now: Timestamp
    /// The number of free places in the lane's prefetch, or `nil` if one app may use all places.
    var freePlaces: Int?

    func allows(_ app: AppLoad) -> Bool {
        let throughput = app.throughput(queue, now: now)
        guard share.allows(app.inFlight(beside: queue), free: freeRoom),
            app.inFlight(of: queue) < HoldingRule.inFlight(throughput)
        else { return false }
        // All apps share a lane's prefetch, even if their jobs have few recipients. An app that settles its open jobs
        // within half a second may have more of them.
        guard let freePlaces else { return true }
        let open = app.openJobs(queue)
        return open < freePlaces || open < throughput.jobs / 2 && share.allows(open, free: freePlaces)
    }
}
