package import PushModel

/// What a receiver says of one recipient.
package struct ToldOutcome: Sendable, Equatable {
    /// Of a receiver's text; the rest is cut off.
    package static let maximumReasonBytes = 100

    package var verdict: Outcome.Verdict
    /// What the receiver calls the message.
    package var id: String?
    package var reason: String?
    package var retryAfterSeconds: Int32 = 0

    package init(
        _ verdict: Outcome.Verdict, id: String? = nil, reason: String? = nil, retryAfterSeconds: Int32 = 0
    ) {
        self.verdict = verdict
        self.id = id
        self.reason = reason
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// The words that a receiver may say.
    static let verdicts: [String: Outcome.Verdict] = [
        "sent": .sent, "unregistered": .unregistered, "rejected": .rejected, "failed": .failed, "retry": .retry,
        "unknown": .unknown,
    ]
}
