/// The last measured difference between this machine's clock and the database's clock. It expires after five minutes.
package struct ClockReading: Sendable {
    private static let longest = Duration.seconds(300)

    private var last: (ahead: Int, at: ContinuousClock.Instant)?

    package init() {}

    /// Records a measured difference.
    ///
    /// - Parameter milliseconds: the time by which this machine's clock is ahead, in milliseconds. It is negative if
    ///   the clock is behind.
    package mutating func saw(ahead milliseconds: Int, at now: ContinuousClock.Instant) {
        last = (milliseconds, now)
    }

    package func ahead(at now: ContinuousClock.Instant) -> Int? {
        last.flatMap { now - $0.at > Self.longest ? nil : $0.ahead }
    }
}
