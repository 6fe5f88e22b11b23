package import Contract
package import PushModel

/// The policy that decides how an outcome is handled. A value type without clock or I/O.
///
/// | verdict | action |
/// |---|---|
/// | sent, rejected, failed, expired, suppressed | reported; not `sent` if the job's `results` is `problems` |
/// | unregistered | reported once the token is marked dead |
/// | unknown, for an `at_most_once` job | reported |
/// | unknown, retry | retried with a growing delay; reported if no attempt or no time is left |
/// | hold | delayed without an attempt; reported if the cause is not gone in time |
/// | returned | requeued at once |
package struct OutcomePolicy {
    package enum Decision: Equatable {
        case tell(OutcomeKind, reason: String? = nil, detail: String? = nil)
        /// The outcome is only counted, because the publisher disabled its event.
        case count(OutcomeKind)
        /// The outcome is reported as unregistered once the token is marked dead.
        case mark(reason: String)
        case retry(seconds: Int)
        case hold(seconds: Int)
        case requeue
    }

    let retry: RetryPolicy

    package init(retry: RetryPolicy) {
        self.retry = retry
    }

    /// Returns the action for an outcome.
    ///
    /// - Parameter firstAttempt: the time of the push's first attempt.
    package func decide(_ outcome: Outcome, firstAttempt: @autoclosure () -> Timestamp) -> Decision {
        switch outcome.verdict {
        case .sent where outcome.job.job.results == .problems: return .count(.sent)
        case .sent: return .tell(.sent)
        case .unregistered: return .mark(reason: outcome.reason ?? "Unregistered")
        case .rejected: return .tell(.rejected, reason: outcome.reason, detail: outcome.detail)
        case .failed where outcome.judge == .provider:
            return .tell(.failed, reason: "CredentialRefused", detail: outcome.reason)
        case .failed: return .tell(.failed, reason: outcome.reason, detail: outcome.detail)
        case .expired: return .tell(.expired, reason: outcome.reason)
        case .suppressed: return .tell(.suppressed)
        case .unknown where outcome.job.job.atMostOnce: return .tell(.unknown, reason: outcome.reason)
        case .unknown, .retry: return tryAgain(outcome, age: outcome.at.seconds - firstAttempt().seconds)
        case .hold: return hold(outcome, age: outcome.at.seconds - firstAttempt().seconds)
        case .returned: return .requeue
        }
    }

    private func tryAgain(_ outcome: Outcome, age: Int64) -> Decision {
        switch retry.decide(
            afterAttempt: outcome.job.attempt, age: age, wish: outcome.retryAfterSeconds,
            patience: outcome.job.traits.retriesForSeconds, expiration: outcome.job.job.expiration, now: outcome.at)
        {
        case .wait(let seconds): .retry(seconds: seconds)
        // No further attempt is made, and the push may have been accepted, so only `unknown` is correct.
        case .giveUp where outcome.mayHaveBeenSent, .expire where outcome.verdict == .unknown:
            .tell(.unknown, reason: outcome.reason)
        case .giveUp: .tell(.failed, reason: "RetriesExhausted", detail: outcome.reason)
        case .expire: .tell(.expired, reason: outcome.reason)
        }
    }

    private func hold(_ outcome: Outcome, age: Int64) -> Decision {
        switch retry.hold(
            age: age, wish: outcome.retryAfterSeconds, isUnsent: outcome.judge == .martlet,
            expiration: outcome.job.job.expiration, now: outcome.at)
        {
        case .wait(let seconds): .hold(seconds: seconds)
        case .giveUp where outcome.mayHaveBeenSent: .tell(.unknown, reason: outcome.reason)
        case .giveUp where outcome.isAboutTheMoment: .tell(.failed, reason: "RetriesExhausted", detail: outcome.reason)
        case .giveUp: .tell(.failed, reason: "CredentialRefused", detail: outcome.reason)
        case .expire: .tell(.expired, reason: outcome.reason)
        }
    }
}

extension Outcome {
    /// Whether the push was held for a temporary reason, such as a quota or an unresponsive host, and not for a refused
    /// credential.
    fileprivate var isAboutTheMoment: Bool {
        guard let reason else { return false }
        return reason == Outcome.connectionFailed || reason == Outcome.noAnswer || job.traits.reasons[reason] == .retry
    }

    /// Whether the push may have been accepted in this attempt or an earlier one.
    fileprivate var mayHaveBeenSent: Bool { verdict == .unknown || job.redelivered }
}
