/// How far this machine's clock was found to be off the database's, for as long as that says something.
package struct ClockReading: Sendable {
    private static let longest = Duration.seconds(300)

    private var last: (ahead: Int, at: ContinuousClock.Instant)?

    package init() {}

    /// - Parameter milliseconds: negative: behind.
    package mutating func saw(ahead milliseconds: Int, at now: ContinuousClock.Instant) {
        last = (milliseconds, now)
    }

    package func ahead(at now: ContinuousClock.Instant) -> Int? {
        last.flatMap { now - $0.at > Self.longest ? nil : $0.ahead }
    }
}
