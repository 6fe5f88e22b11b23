package import PushModel

/// An outcome that a receiver reports for one recipient.
package struct ReportedOutcome: Sendable, Equatable {
    /// The maximum length of a receiver's reason, in bytes. Longer reasons are cut off.
    package static let maximumReasonBytes = 100

    package var verdict: Outcome.Verdict
    /// The receiver's own id for the message, or `nil`.
    package var id: String?
    package var reason: String?
    /// The minimum delay before another attempt, in seconds, or 0 if the receiver reports none.
    package var retryAfterSeconds: Int32 = 0

    package init(
        _ verdict: Outcome.Verdict, id: String? = nil, reason: String? = nil, retryAfterSeconds: Int32 = 0
    ) {
        self.verdict = verdict
        self.id = id
        self.reason = reason
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// The verdict for each value of `kind` that a receiver may report.
    static let verdicts: [String: Outcome.Verdict] = [
        "sent": .sent, "unregistered": .unregistered, "rejected": .rejected, "failed": .failed, "retry": .retry,
        "unknown": .unknown,
    ]
}
