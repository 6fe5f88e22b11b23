/// A growing wait before the next attempt after consecutive failures. A value type without a clock or a random number
/// generator.
///
/// | failures | longest wait |
/// |---|---|
/// | 1 | `first` |
/// | 2 | twice `first` |
/// | … | doubled each time |
/// | many | `longest` |
///
/// Each wait is shortened at random ("jitter"), so that the workers of a fleet do not retry at the same moment. By
/// default at least a tenth of the wait remains, so that small random numbers do not cause a busy loop.
package struct Backoff: Sendable, Hashable {
    private let first: Duration
    private let longest: Duration
    private let jitter: Double

    /// The number of consecutive failures.
    package private(set) var failures = 0

    /// - Parameters:
    ///   - first: the longest wait after the first failure. It must be in whole milliseconds, as must `longest`.
    ///   - jitter: the share of a wait that is random, from 0 to 1.
    package init(first: Duration, longest: Duration, jitter: Double = 0.9) {
        self.first = first
        self.longest = longest
        self.jitter = jitter
    }

    /// The wait after the last failure without jitter, or zero if there was no failure.
    package var ceiling: Duration {
        // At most 16 doublings avoid an overflow. They turn a wait of one millisecond into more than a minute.
        failures == 0 ? .zero : min(first * (1 << min(failures - 1, 16)), longest)
    }

    /// Records a failure.
    ///
    /// - Parameter random: a number from 0 to 1.
    /// - Returns: the time to wait before the next attempt, in whole milliseconds.
    package mutating func failed(random: Double) -> Duration {
        failures += 1
        let milliseconds = Double(ceiling.wholeMilliseconds)
        return .milliseconds((milliseconds * (1 - jitter * (1 - random))).rounded())
    }

    package mutating func succeeded() { failures = 0 }
}
