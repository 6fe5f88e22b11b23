import Pacing

extension Backoff {
    /// The back-off of pools and listeners.
    static let reconnecting = Backoff(first: .milliseconds(100), longest: .seconds(5))
}
