package import PushModel

extension Outcome.Verdict {
    /// Whether the push waits and is then attempted again.
    package var isTriedAgain: Bool {
        switch self {
        case .retry, .hold, .unknown: true
        case .sent, .unregistered, .rejected, .failed, .expired, .suppressed, .returned: false
        }
    }
}
