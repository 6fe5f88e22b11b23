/// The last measured difference between this machine's clock and the database's. It expires after five minutes.
package struct ClockReading: Sendable {
    private static let longest = Duration.seconds(300)

    private var last: (ahead: Int, at: ContinuousClock.Instant)?

    package init() {}

    /// - Parameter milliseconds: the time by which this machine's clock is ahead, in milliseconds. Negative if it is
    ///   behind.
    package mutating func saw(ahead milliseconds: Int, at now: ContinuousClock.Instant) {
        last = (milliseconds, now)
    }

    package func ahead(at now: ContinuousClock.Instant) -> Int? {
        last.flatMap { now - $0.at > Self.longest ? nil : $0.ahead }
    }
}
