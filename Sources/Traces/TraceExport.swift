import Pacing

/// What becomes of batches, by what the collector says to them (OTLP 1, "OTLP/HTTP Response"). A value: no clock, no I/O.
///
/// | it says | then |
/// |---|---|
/// | 200 | sent, but for those that it says it has rejected; never sent again |
/// | 429, 502, 503, 504 | tried again, not before it says; after longer waits each time |
/// | nothing, or can't be reached | the same |
/// | anything else | refused: it would say so again |
package struct TraceExport {
    package enum Answer: Sendable, Hashable {
        /// - Parameters:
        ///   - retryAfter: the least to wait, in seconds.
        ///   - rejected: so many spans of the batch.
        case status(Int, retryAfter: Int = 0, rejected: Int = 0)
        case none
    }

    package enum Decision: Sendable, Hashable {
        case sent(rejected: Int)
        case refused
        /// Tried again after this time.
        case wait(Duration)
        /// Too often: it is dropped. What comes next waits as well.
        case giveUp(Duration)
    }

    /// Of one batch.
    package static let mostAttempts = 8

    private var backoff = Backoff(first: .seconds(1), longest: .seconds(60), jitter: 0.5)
    private var attempts = 0

    package init() {}

    /// The last batch could not be sent, or its answer was to come later.
    package var isFailing: Bool { backoff.failures > 0 }

    /// - Parameter random: a number from 0 to 1.
    package mutating func decide(_ answer: Answer, random: Double) -> Decision {
        switch answer {
        case .status(200..<300, _, let rejected):
            (attempts, backoff) = (0, Self().backoff)
            return .sent(rejected: rejected)
        case .status(429, let seconds, _), .status(502...504, let seconds, _):
            return failed(.seconds(seconds), random)
        case .status:
            (attempts, backoff) = (0, Self().backoff)
            return .refused
        case .none: return failed(.zero, random)
        }
    }

    private mutating func failed(_ least: Duration, _ random: Double) -> Decision {
        let wait = max(least, backoff.failed(random: random))
        attempts += 1
        guard attempts >= Self.mostAttempts else { return .wait(wait) }
        attempts = 0
        return .giveUp(wait)
    }
}
