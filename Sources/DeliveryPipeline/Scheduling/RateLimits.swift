import PushModel
import Store
package import Routing

/// The rate limits of all apps, and the number of workers that share them. A value type without clock or I/O.
package struct RateLimits {
    package var limits = AppRateLimits.none
    /// The number of workers that share each rate, or `nil` if it is unknown.
    package var workers: Int?

    package init(limits: AppRateLimits = .none, workers: Int? = nil) {
        (self.limits, self.workers) = (limits, workers)
    }

    /// Returns whether a job may have to wait for a rate limit or for the end of a pause.
    func concerns(_ job: Job) -> Bool { job.rate != nil || limits[job.app] != nil || limits.isPaused(job.app) }

    /// Returns whether a job's app is paused, and the job expires too soon to wait.
    func cannotWait(_ job: Job, _ retry: RetryPolicy, now: Timestamp) -> Bool {
        limits.isPaused(job.app) && retry.hold(expiration: job.expiration, now: now) == .expire
    }

    /// Returns the rate of a job in pushes per second: the lower of the job's own rate and the app's rate, as far as
    /// they apply. Returns `nil` if no rate limit applies.
    func rate(of job: Job, _ inbound: InboundJob, _ app: AppLoad) -> Int? {
        let appRate = app.isPaced(in: inbound.queue) ? app.limiter?.rate : nil
        return [appRate, job.rate].compactMap(\.self).min()
    }

    /// Returns the maximum number of recipients in a chunk of a job whose chunk size is not fixed yet.
    func chunkSize(of job: Job, _ inbound: InboundJob, _ app: AppLoad, _ limit: Int) -> Int {
        guard let rate = self.rate(of: job, inbound, app) else { return limit }
        var limiter = RateLimiter(rate: rate)
        limiter.pass(to: Timestamp(milliseconds: 0), workers: workers)
        return min(limit, limiter.chunkSize)
    }
}
