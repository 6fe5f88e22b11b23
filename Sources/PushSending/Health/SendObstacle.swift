package import PushModel

/// A condition that prevents pushes from waiting in this process.
package struct SendObstacle {
    /// The verdict to report: `hold`, `returned` or `rejected`. None of them uses an attempt.
    package let verdict: Outcome.Verdict
    package let reason: String?
    /// The minimum time that the push waits in the broker, in seconds.
    package let seconds: Int32

    package init(_ verdict: Outcome.Verdict, reason: String? = nil, seconds: Int32 = 0) {
        self.verdict = verdict
        self.reason = reason
        self.seconds = seconds
    }

    /// Creates the obstacle of an open breaker, which makes a job's pushes wait in the broker.
    package init(_ breaker: Breaker, holding job: QueuedJob) {
        self.init(
            .hold, reason: breaker.reason ?? Outcome.noAnswer, seconds: breaker.holdSeconds(random: job.holdRandom))
    }
}
