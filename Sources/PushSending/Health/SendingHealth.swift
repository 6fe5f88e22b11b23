/// The rules that decide which of a pool's pushes may be sent. They collect evidence from answers, time-outs and failed
/// connections. ``PushDispatcher`` asks them before each push. All calls are on the pool's event loop.
///
/// ``PoolHealth`` has the rules for a pool that belongs to one credential.
package protocol SendingHealth: AnyObject {
    /// Whether some jobs may have to wait while pushes of other jobs may be sent.
    var restrictsJobs: Bool { get }

    /// Called when a job enters the pool, before all other calls for the job. The default does nothing.
    func enters(_ job: QueuedJob)

    /// Returns the reason why a job's pushes cannot wait in this process, or `nil` if they can.
    func obstacle(to job: QueuedJob, now: Moment) -> SendObstacle?

    /// Returns the admission of this pool's pushes, regardless of their jobs.
    ///
    /// - Parameter now: The uptime in milliseconds.
    func admission(uptime now: Int64) -> Breaker.Admission

    /// Returns whether pushes of a job may be sent. Call this only if ``admission(uptime:)`` admits the pool's pushes.
    func lets(_ job: QueuedJob, uptime now: Int64) -> Bool

    /// Returns whether a push of the job's app has failed in the last minute. Called only for outputs with batches. The
    /// default returns `false`.
    func hasFailed(_ job: QueuedJob) -> Bool

    /// Returns the rank of a job's pushes as probes, from 0 (best) to 2 (worst). Returns 0 if no probe is needed.
    func rank(_ job: QueuedJob) -> Int

    /// Returns whether a push of `job` tests the same refusal as a push of `other`.
    func sharesProbe(_ job: QueuedJob, with other: QueuedJob) -> Bool

    /// Records that a push of the job is sent.
    ///
    /// - Returns: Whether the push is a probe.
    func admit(_ job: QueuedJob, uptime now: Int64) -> Bool

    /// Records that a probe has ended. Evidence from the probe, if any, is recorded after this call.
    func probeEnded(_ job: QueuedJob)

    /// Records that pushes are about to be added to an empty queue.
    func waitBegins(now: Moment)

    /// Records that a request got no answer, so that a push of another job is the better probe.
    func requestFailed(_ job: QueuedJob, now: Moment)

    /// Records that a request got no answer in time.
    ///
    /// - Parameter writtenAt: The uptime at which the request was written, in milliseconds.
    func requestTimedOut(_ push: PushIdentity, writtenAt: Int64, now: Moment)

    /// Records that no connection could be made and that no other connection exists.
    func connectFailed(now: Moment)

    /// Drops state that is no longer needed. Called once a second.
    func tick(now: Moment)

    /// Checks whether the host is silent. Called once a second while pushes wait.
    func look(now: Moment)

    /// Reports that all reported refusals have ended. Called when the pool ends, because no later push can show whether
    /// they persist.
    func forget()
}

extension SendingHealth {
    package func enters(_ job: QueuedJob) {}
    package func hasFailed(_ job: QueuedJob) -> Bool { false }
}
