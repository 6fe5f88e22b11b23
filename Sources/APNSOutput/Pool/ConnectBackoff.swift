/// How long to wait before trying again after failures in a row, in milliseconds, with full jitter so that a
/// fleet does not come back all at once.
///
/// | failures | waits at most |
/// |---|---|
/// | 1 | 1 s |
/// | 2 | 2 s |
/// | 3 | 4 s |
/// | … | doubling |
/// | 7 and more | 60 s, or the limit given |
package struct ConnectBackoff {
    package private(set) var failures = 0

    private let longestMilliseconds: Int64

    package init(longestMilliseconds: Int64 = 60_000) {
        self.longestMilliseconds = longestMilliseconds
    }

    package mutating func succeeded() { failures = 0 }

    /// - Parameter random: a number from 0 up to 1.
    package mutating func failed(random: Double) -> Int64 {
        failures += 1
        let longest = min(longestMilliseconds, 1_000 << min(failures - 1, 6))
        // Never less than a tenth: an immediate reconnection is what Apple calls churn.
        return Int64(Double(longest) * (0.1 + 0.9 * random))
    }
}
