import Pacing

/// The back-off after the broker refused to declare the topology again: from a second up to a minute. A value.
package struct DeclarationBackoff: Sendable {
    private var backoff = Backoff(first: .seconds(1), longest: .seconds(60), jitter: 0.2)
    /// The end of the back-off, or `nil` unless the last declaration was refused.
    private var end: ContinuousClock.Instant?

    package init() {}

    package func allowsDeclaration(at now: ContinuousClock.Instant) -> Bool { end.map { now >= $0 } ?? true }

    /// - Parameter random: a number from 0 to 1.
    package mutating func refused(at now: ContinuousClock.Instant, random: Double) {
        end = now + backoff.failed(random: random)
    }

    package mutating func succeeded() {
        backoff.succeeded()
        end = nil
    }
}
