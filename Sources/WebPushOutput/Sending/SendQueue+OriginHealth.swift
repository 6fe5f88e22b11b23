import PushSending

extension SendQueue {
    /// Removes and returns the next message that an origin's health admits, preferring a message of the job that is the
    /// better probe.
    mutating func next(onlyUrgent: Bool, allowedBy health: OriginHealth, at now: Moment) -> QueuedPush? {
        let admission = health.admission(uptime: now.uptime)
        guard admission == .pass || admission == .probe else { return nil }
        guard health.restrictsKeys else { return next(onlyUrgent: onlyUrgent) }
        func mayGo(_ job: QueuedJob) -> Bool {
            health.lets(unsafeDowncast(job, to: OriginJob.self).key, uptime: now.uptime)
        }
        return next(onlyUrgent: onlyUrgent) {
            unsafeDowncast($0, to: OriginJob.self).key.prefers($0) && mayGo($0)
        } ?? next(onlyUrgent: onlyUrgent, where: mayGo)
    }
}
