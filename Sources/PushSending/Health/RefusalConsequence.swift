package import PushModel

/// The verdict on a refused push, and the minimum wait before its next attempt.
package struct RefusalConsequence: Equatable {
    /// The verdict to report.
    package let verdict: Outcome.Verdict
    /// The minimum wait before the next attempt, in seconds, or 0 for none.
    package let seconds: Int32

    package init(_ verdict: Outcome.Verdict, seconds: Int32 = 0) {
        self.verdict = verdict
        self.seconds = seconds
    }

    /// Creates the consequence for a push whose stated refusal opened a breaker or found it open. The push waits in the
    /// broker, usually longer than unsent pushes.
    package init(refusedBy breaker: Breaker) { self.init(.hold, seconds: breaker.refusedHoldSeconds) }
}
