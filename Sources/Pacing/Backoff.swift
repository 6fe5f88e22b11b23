/// How long to wait before the next attempt, after so many failures in a row. A value: no clock, no chance of its own.
///
/// | failures | waits at most |
/// |---|---|
/// | 1 | `first` |
/// | 2 | twice as long |
/// | … | doubling |
/// | many | `longest` |
///
/// Each wait is shortened at random ("jitter"), so that a fleet does not come back in step; by default to no less than a
/// tenth, so that a run of small random numbers does not become a spin.
package struct Backoff: Sendable, Hashable {
    private let first: Duration
    private let longest: Duration
    private let jitter: Double

    /// In a row, until now.
    package private(set) var failures = 0

    /// - Parameters:
    ///   - first: in whole milliseconds, as `longest`.
    ///   - jitter: the part of a wait that is left to chance, 0 to 1.
    package init(first: Duration, longest: Duration, jitter: Double = 0.9) {
        self.first = first
        self.longest = longest
        self.jitter = jitter
    }

    /// The wait after the last failure, but for its jitter; zero after none.
    package var ceiling: Duration {
        // Sixteen times doubled, a millisecond is more than a minute, and nothing overflows.
        failures == 0 ? .zero : min(first * (1 << min(failures - 1, 16)), longest)
    }

    /// - Parameter random: a number from 0 to 1.
    /// - Returns: how long to wait, in whole milliseconds.
    package mutating func failed(random: Double) -> Duration {
        failures += 1
        let milliseconds = Double(ceiling.wholeMilliseconds)
        return .milliseconds((milliseconds * (1 - jitter * (1 - random))).rounded())
    }

    package mutating func succeeded() { failures = 0 }
}
