/// How long to wait before the next attempt: 0.1, 0.2, 0.4 … 5 s where nothing else is said, each shortened at random by up
/// to half, so that a fleet does not come back all at once.
package struct ReconnectDelay: Sendable {
    private let first: Duration
    private let longest: Duration
    private var failures = 0

    package init(first: Duration = .milliseconds(100), longest: Duration = .seconds(5)) {
        self.first = first
        self.longest = longest
    }

    /// - Parameter chance: a random number from 0 to 1.
    package mutating func failed(chance: Double) -> Duration {
        let wait = min(first * (1 << min(failures, 16)), longest)
        failures += 1
        return .milliseconds(Int((wait / .milliseconds(1) * (1 - chance / 2)).rounded()))
    }

    package mutating func succeeded() {
        failures = 0
    }
}
