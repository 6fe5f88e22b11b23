import PushSending

extension SendQueue {
    /// Removes and returns the next message that an origin's health admits. A probe of a key should belong to another
    /// job than the last refused message, so such a message is preferred if one with the same key waits.
    mutating func next(onlyUrgent: Bool, allowedBy health: OriginHealth, at now: Moment) -> QueuedPush? {
        let admission = health.admission(uptime: now.uptime)
        guard admission == .pass || admission == .probe else { return nil }
        guard health.restrictsKeys else { return next(onlyUrgent: onlyUrgent) }
        func mayGo(_ job: QueuedJob) -> Bool {
            health.lets(unsafeDowncast(job, to: OriginJob.self).key, uptime: now.uptime)
        }
        guard let push = next(onlyUrgent: onlyUrgent, where: mayGo) else { return nil }
        let key = push.part.key
        guard !key.prefers(push.job) else { return push }
        let better = next(onlyUrgent: onlyUrgent) { job in
            unsafeDowncast(job, to: OriginJob.self).key === key && key.prefers(job)
        }
        guard let better else { return push }
        resend(push)
        return better
    }
}
