import Pacing

/// The decisions on batches of spans, by the collector's answer (OTLP 1, "OTLP/HTTP Response"). A value type without a
/// clock or I/O.
///
/// | answer | decision |
/// |---|---|
/// | 2xx | sent, except for rejected spans; never sent again |
/// | 429, 502, 503, 504 | retried after growing waits, at the earliest after `Retry-After` |
/// | none, or no connection | retried after growing waits |
/// | any other status | refused, because a retry would get the same answer |
package struct TraceExport {
    package enum Answer: Sendable, Hashable {
        /// - Parameters:
        ///   - retryAfter: the minimum wait, in seconds.
        ///   - rejected: the number of rejected spans in the batch.
        case status(Int, retryAfter: Int = 0, rejected: Int = 0)
        case none
    }

    package enum Decision: Sendable, Hashable {
        case sent(rejected: Int)
        case refused
        /// The batch must be sent again after this time.
        case wait(Duration)
        /// The batch is dropped after too many attempts. The next batch must wait for this time.
        case giveUp(Duration)
    }

    /// The maximum number of attempts for one batch.
    package static let mostAttempts = 8

    private var backoff = Backoff(first: .seconds(1), longest: .seconds(60), jitter: 0.5)
    private var attempts = 0

    package init() {}

    /// Whether the last batch could not be sent, or must be retried later.
    package var isFailing: Bool { backoff.failures > 0 }

    /// Decides what to do after an answer.
    ///
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
