import PushModel

/// Whether an app may start another job of a queue just now.
struct StartRule {
    let queue: JobQueue
    let share: AppShare
    let freeRoom: Int
    let now: Timestamp
    /// Of the lane's prefetch; nil where apps do not share one.
    var freePlaces: Int?

    func allows(_ app: AppLoad) -> Bool {
        let pace = app.pace(queue, now: now)
        guard share.allows(app.inFlight(beside: queue), free: freeRoom),
            app.inFlight(of: queue) < HoldingRule.inFlight(pace)
        else { return false }
        // All apps share a lane's prefetch, however few recipients their jobs have; more of it goes to who gives it
        // back within half a second.
        guard let freePlaces else { return true }
        let open = app.openJobs(queue)
        return open < freePlaces || open < pace.jobs / 2 && share.allows(open, free: freePlaces)
    }
}
