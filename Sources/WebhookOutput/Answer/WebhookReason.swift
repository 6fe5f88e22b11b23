import PushModel

/// Reasons that the receiver has not given.
enum WebhookReason {
    /// The receiver's answer names the recipient nowhere.
    static let notAnswered = "NotAnswered"
    /// It is no answer to a batch.
    static let badAnswer = "BadAnswer"
    /// The receiver has asked for a pause, or is in trouble.
    static let paused = "ReceiverPaused"
    static let rejected = "Rejected"
    static let payloadTooLarge = "PayloadTooLarge"
    /// The URL leads to an address where batches may not go.
    static let addressNotAllowed = "AddressNotAllowed"

    /// The default reason of a verdict for which the receiver gives no reason.
    static func of(_ verdict: Outcome.Verdict) -> String {
        switch verdict {
        case .unregistered: "Unregistered"
        case .rejected: rejected
        case .retry: "Retry"
        case .unknown: "Unknown"
        default: "Failed"
        }
    }

    /// The consequence for a push, by these reasons.
    static let verdicts: [String: Outcome.Verdict] = {
        let told: [Outcome.Verdict] = [.unregistered, .rejected, .failed, .retry, .unknown]
        return Dictionary(uniqueKeysWithValues: told.map { (of($0), $0) }).merging([
            notAnswered: .unknown, badAnswer: .unknown, paused: .retry, payloadTooLarge: .rejected,
            addressNotAllowed: .hold,
        ]) { known, _ in known }
    }()
}
