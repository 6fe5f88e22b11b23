import Pacing

extension Backoff {
    /// For pools and listeners.
    static let reconnecting = Backoff(first: .milliseconds(100), longest: .seconds(5))
}
