import Foundations

extension Backoff {
    /// The back-off of pools and listeners between two attempts to connect, from 100 milliseconds to 5 seconds.
    static let reconnecting = Backoff(first: .milliseconds(100), longest: .seconds(5))
}
