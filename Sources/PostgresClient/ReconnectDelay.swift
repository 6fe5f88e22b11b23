/// How long to wait before the next attempt to connect: 0.1, 0.2, 0.4 … 5 s, each shortened at random by
/// up to half, so that a fleet does not come back all at once.
package struct ReconnectDelay: Sendable {
    private static let first = 100.0
    private static let longest = 5_000.0

    private var failures = 0

    package init() {}

    /// - Parameter chance: a random number from 0 to 1.
    package mutating func failed(chance: Double) -> Duration {
        let milliseconds = min(Self.first * Double(1 << min(failures, 16)), Self.longest)
        failures += 1
        return .milliseconds(Int((milliseconds * (1 - chance / 2)).rounded()))
    }

    package mutating func succeeded() {
        failures = 0
    }
}
