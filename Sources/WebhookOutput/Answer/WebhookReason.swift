import PushModel

/// Martlet's reasons for outcomes without a reason from the receiver.
enum WebhookReason {
    /// The receiver's answer does not name the recipient.
    static let notAnswered = "NotAnswered"
    /// The body of the receiver's answer is not a valid answer to a batch.
    static let badAnswer = "BadAnswer"
    /// The receiver is paused, because it asked for a pause or failed.
    static let paused = "ReceiverPaused"
    static let rejected = "Rejected"
    static let payloadTooLarge = "PayloadTooLarge"
    /// The URL leads to an address to which batches must not be sent.
    static let addressNotAllowed = "AddressNotAllowed"

    /// Returns the reason to report with a verdict if the receiver gives none.
    static func of(_ verdict: Outcome.Verdict) -> String {
        switch verdict {
        case .unregistered: "Unregistered"
        case .rejected: rejected
        case .retry: "Retry"
        case .unknown: "Unknown"
        default: "Failed"
        }
    }

    /// The verdict of an outcome for each of these reasons.
    static let verdicts: [String: Outcome.Verdict] = {
        let reported: [Outcome.Verdict] = [.unregistered, .rejected, .failed, .retry, .unknown]
        return Dictionary(uniqueKeysWithValues: reported.map { (of($0), $0) }).merging([
            notAnswered: .unknown, badAnswer: .unknown, paused: .retry, payloadTooLarge: .rejected,
            addressNotAllowed: .hold,
        ]) { known, _ in known }
    }()
}
