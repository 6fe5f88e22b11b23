import Foundations

/// A policy that decides what to do with a batch of spans after the collector's answer (OTLP 1, "OTLP/HTTP Response").
/// A value type without clock or I/O.
///
/// | answer | decision |
/// |---|---|
/// | 2xx | the batch counts as sent, except for rejected spans, and is not sent again |
/// | 429, 502, 503, 504 | the batch is retried after a back-off, but not before the time in `Retry-After` |
/// | no answer, or no connection | the batch is retried after a back-off |
/// | any other status | the batch is dropped, because a retry would get the same answer |
package struct TraceExport {
    package enum Answer: Sendable, Hashable {
        /// An HTTP status from the collector.
        ///
        /// - Parameters:
        ///   - retryAfter: the minimum wait before the next attempt, in seconds.
        ///   - rejected: the number of spans in the batch that the collector rejected.
        case status(Int, retryAfter: Int = 0, rejected: Int = 0)
        case none
    }

    package enum Decision: Sendable, Hashable {
        case sent(rejected: Int)
        case refused
        /// The batch must be sent again after this time.
        case wait(Duration)
        /// The batch is dropped after ``mostAttempts`` attempts. The next batch must wait for this time.
        case giveUp(Duration)
    }

    /// The maximum number of attempts for one batch.
    package static let mostAttempts = 8

    private var backoff = Backoff(first: .seconds(1), longest: .seconds(60), jitter: 0.5)
    private var attempts = 0

    package init() {}

    /// Whether the last attempt failed in a way that allows a retry.
    package var isFailing: Bool { backoff.failures > 0 }

    /// Returns the decision that follows from an answer, and records the answer for the back-off.
    ///
    /// - Parameter random: a number from 0 to 1, for the jitter of the back-off.
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
