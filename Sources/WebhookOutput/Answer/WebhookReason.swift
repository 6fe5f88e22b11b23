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

    /// Of a verdict that the receiver gives no reason for.
    static func of(_ verdict: Outcome.Verdict) -> String {
        switch verdict {
        case .unregistered: "Unregistered"
        case .rejected: rejected
        case .retry: "Retry"
        case .unknown: "Unknown"
        default: "Failed"
        }
    }
}
