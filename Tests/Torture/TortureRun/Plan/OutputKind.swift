/// An output that delivers jobs of the run.
package enum OutputKind: String, Sendable, CaseIterable {
    case apns, fcm, webpush, webhook

    /// The share of this output in all jobs, in percent.
    var share: Int {
        switch self {
        case .apns: 55
        case .fcm: 20
        case .webpush: 15
        case .webhook: 10
        }
    }

    /// The statuses with which the service reports a dead address. In a run, they have no other meaning.
    var deadStatuses: Set<Int> {
        switch self {
        case .apns, .webhook: [410]
        case .fcm: [404]
        case .webpush: [404, 410]
        }
    }

    /// The reasons that the service reports if an address is valid but belongs to another sender (FCM) or key (Web
    /// Push).
    var mismatchReasons: Set<String> {
        switch self {
        case .apns, .webhook: []
        case .fcm: ["SENDER_ID_MISMATCH"]
        // `Status403` is the reason if a service gives none.
        case .webpush: ["KeyMismatch", "Status403"]
        }
    }

    /// The minimum delay from a temporary refusal to the retry, in milliseconds, or `nil` if the service requires none.
    var leastRetryDelay: Int64? {
        switch self {
        case .apns, .webpush, .webhook: nil
        case .fcm: 10_000
        }
    }
}
