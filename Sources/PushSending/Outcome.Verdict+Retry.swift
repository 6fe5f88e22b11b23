package import PushModel

extension Outcome.Verdict {
    /// Whether the push may be attempted again after a wait.
    package var isTriedAgain: Bool {
        switch self {
        case .retry, .hold, .unknown: true
        case .sent, .unregistered, .rejected, .failed, .expired, .suppressed, .returned: false
        }
    }
}
