import Foundations

/// The back-off between attempts to repair the topology after a message was returned: from one second to one minute. A
/// value type without clock or I/O.
///
/// A publisher that declares the topology backs off when the broker refuses a declaration. A publisher that only checks
/// the topology backs off after each such check.
package struct RepairBackoff: Sendable {
    private var backoff = Backoff(first: .seconds(1), longest: .seconds(60), jitter: 0.2)
    /// The end of the back-off, or `nil` if the last attempt succeeded or no attempt was made.
    private var end: ContinuousClock.Instant?

    package init() {}

    package func allowsAttempt(at now: ContinuousClock.Instant) -> Bool { end.map { now >= $0 } ?? true }

    /// Records a failed attempt and starts the back-off.
    ///
    /// - Parameter random: a random number from 0 to 1.
    package mutating func failed(at now: ContinuousClock.Instant, random: Double) {
        end = now + backoff.failed(random: random)
    }

    package mutating func succeeded() {
        backoff.succeeded()
        end = nil
    }
}
