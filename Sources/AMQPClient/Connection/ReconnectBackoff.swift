/// How long to wait before the next attempt to connect: a random part of a ceiling that doubles up to a limit, so that
/// a fleet does not come back in step ("full jitter").
///
/// | failures in a row | 1 | 2 | 3 | 4 | 5 | 6 | 7 and more |
/// |---|---|---|---|---|---|---|---|
/// | ceiling in seconds | 0.5 | 1 | 2 | 4 | 8 | 16 | 30 |
///
/// A connection that lived for at least the limit clears the count. The floor keeps a run of small random numbers from
/// becoming a spin.
package struct ReconnectBackoff: Sendable, Hashable {
    package static let first: Duration = .milliseconds(500)
    package static let limit: Duration = .seconds(30)
    package static let floor: Duration = .milliseconds(50)

    package private(set) var failures = 0

    package init() {}

    /// - Parameters:
    ///   - uptime: how long the connection had been usable; zero for a failed attempt.
    ///   - random: 0 to 1.
    package mutating func delayAfterFailure(uptime: Duration, random: Double) -> Duration {
        if uptime >= Self.limit { failures = 0 }
        failures += 1
        let doublings = min(failures - 1, 6)
        let ceiling = min(Self.first * (1 << doublings), Self.limit)
        return max(ceiling * random, Self.floor)
    }
}
