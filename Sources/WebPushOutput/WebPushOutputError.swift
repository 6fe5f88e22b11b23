/// The reason why a job cannot be sent at all.
enum WebPushOutputError: Error, CustomStringConvertible {
    case noCredential
    case notAKey

    var description: String {
        switch self {
        case .noCredential: "the job was routed without a credential"
        case .notAKey: "the credential is not a VAPID key"
        }
    }
}
