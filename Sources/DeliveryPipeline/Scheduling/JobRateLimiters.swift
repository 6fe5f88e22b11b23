package import PushModel

/// The rate limiters for jobs that have their own rate and arrive in parts. A part that is too early waits in the
/// broker, so that it does not delay other jobs in the worker. A value type without clock or I/O.
///
/// | part | action |
/// |---|---|
/// | arrives while its job may send | it is sent and charged |
/// | arrives while its job may not send | it gets a slot after the job's earlier slots |
/// | returns before its slot | it waits in the broker for the remaining time, or is sent if no part is before it |
/// | arrives while too many jobs are tracked | it waits in the broker, longer each time, until another job is idle |
package struct JobRateLimiters {
    /// The key of a rate limiter. It includes the rate, because two jobs with the same id may have different rates.
    private struct Key: Hashable {
        let job: String
        let rate: Int
    }

    /// The maximum number of jobs that are tracked for one app.
    package static let mostOfApp = 100
    /// The maximum number of jobs that are tracked for all apps together.
    package static let most = 10_000
    /// The burst allowed to a job, in seconds of its rate. Delay queues are only accurate to a second, so parts may
    /// arrive bunched together. The burst lets them be sent at once, so that they do not wait in the worker.
    private static let burstSeconds = 3.0
    /// The minimum interval between two removals of the idle jobs of all apps, in milliseconds. They are removed if too
    /// many jobs are tracked.
    private static let clearingMilliseconds: Int64 = 1_000

    private var apps: [String: [Key: RateLimiter]] = [:]
    private var count = 0
    private var clearedAt: Timestamp?

    package init() {}

    /// Returns the time slot of a part, or `nil` if the part may be sent now. A part that may be sent is charged.
    ///
    /// - Parameter waited: how long the part has waited so far, in seconds.
    package mutating func slot(
        for job: Job, at rate: Int, earlier: RateLimiter.Slot? = nil, waited: Int = 0, workers: Int?, now: Timestamp
    ) -> RateLimiter.Slot? {
        let key = Key(job: job.id, rate: rate)
        guard apps[job.app]?[key] != nil || makeRoom(for: job.app, workers, now) else {
            return RateLimiter.Slot(waitingLonger: waited, rate: rate, now: now)
        }
        if apps[job.app]?[key] == nil { count += 1 }
        var limiter = apps[job.app]?[key] ?? RateLimiter(rate: rate, burstSeconds: Self.burstSeconds)
        limiter.pass(to: now, workers: workers)
        defer { apps[job.app, default: [:]][key] = limiter }
        if let earlier, earlier.rate == rate, earlier.due > now, !limiter.isAtRest { return earlier }
        guard limiter.maySend else {
            return limiter.slot(for: job.recipients.count, behind: 0, until: job.expiration, now: now)
        }
        limiter.spend(job.recipients.count)
        return nil
    }

    /// Refunds a part that was charged but not started.
    package mutating func refund(_ job: Job, at rate: Int) {
        apps[job.app]?[Key(job: job.id, rate: rate)]?.refund(job.recipients.count)
    }

    /// Releases the future time slot of a part that no longer needs it.
    package mutating func releaseSlot(of job: Job, at rate: Int) {
        apps[job.app]?[Key(job: job.id, rate: rate)]?.releaseSlot(of: job.recipients.count)
    }

    // MARK: Capacity

    private mutating func makeRoom(for app: String, _ workers: Int?, _ now: Timestamp) -> Bool {
        if apps[app, default: [:]].count >= Self.mostOfApp { clear(app, workers, now) }
        if count >= Self.most, abs(now.milliseconds - (clearedAt?.milliseconds ?? 0)) >= Self.clearingMilliseconds {
            clearedAt = now
            for app in apps.keys { clear(app, workers, now) }
        }
        return count < Self.most && apps[app, default: [:]].count < Self.mostOfApp
    }

    /// Removes the rate limiters of the app's jobs that have no debt and no future slots. Such a rate limiter contains
    /// no information.
    private mutating func clear(_ app: String, _ workers: Int?, _ now: Timestamp) {
        guard let all = apps[app] else { return }
        let underWay = all.filter { _, limiter in
            var limiter = limiter
            limiter.pass(to: now, workers: workers)
            return !limiter.isAtRest
        }
        count -= all.count - underWay.count
        apps[app] = underWay.isEmpty ? nil : underWay
    }
}
