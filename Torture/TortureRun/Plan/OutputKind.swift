/// Who delivers a job.
package enum OutputKind: String, Sendable, CaseIterable {
    case apns, fcm, webpush, webhook

    /// Of a hundred jobs, how many are its.
    var share: Int {
        switch self {
        case .apns: 55
        case .fcm: 20
        case .webpush: 15
        case .webhook: 10
        }
    }

    /// What its service answers of an address that is dead; of what a run asks for, to nothing else.
    var deadStatuses: Set<Int> {
        switch self {
        case .apns, .webhook: [410]
        case .fcm: [404]
        case .webpush: [404, 410]
        }
    }

    /// What a refusal is called that is for whoever uses the address, and not for what is wrong with it.
    var mismatchReasons: Set<String> {
        switch self {
        case .apns, .webhook: []
        case .fcm: ["SENDER_ID_MISMATCH"]
        // The second where a service has no words for it.
        case .webpush: ["KeyMismatch", "Status403"]
        }
    }

    /// Milliseconds before which its service wants nothing again that it has refused for now; nil: it does not say.
    var leastRetryDelay: Int64? {
        switch self {
        case .apns, .webpush, .webhook: nil
        case .fcm: 10_000
        }
    }
}
