package import PushModel

/// Decides what becomes of one outcome. A value: no clock, no I/O.
///
/// | verdict | then |
/// |---|---|
/// | sent, rejected, failed, expired, suppressed | told; sent is not, where the job wants problems only |
/// | unregistered | told once the token is marked dead |
/// | unknown, and the job is sent at most once | told |
/// | unknown, retry | another attempt after a growing wait; told when no attempt or no time is left |
/// | hold | waits without an attempt until its credential works or its provider can be reached |
/// | returned | put back at once |
package struct OutcomePolicy {
    package enum Decision: Equatable {
        case tell(OutcomeKind, reason: String? = nil, detail: String? = nil)
        /// Nobody wants to hear of it.
        case count(OutcomeKind)
        /// Told as unregistered when the token is marked dead.
        case mark(reason: String)
        case retry(seconds: Int)
        case hold(seconds: Int)
        case putBack
    }

    let retry: RetryPolicy

    package init(retry: RetryPolicy) {
        self.retry = retry
    }

    /// - Parameter firstAttempt: when the push was first tried.
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
        case .returned: return .putBack
        }
    }

    private func tryAgain(_ outcome: Outcome, age: Int64) -> Decision {
        switch retry.decide(
            afterAttempt: outcome.job.attempt, age: age, wish: outcome.retryAfterSeconds,
            patience: outcome.job.traits.retriesForSeconds, expiration: outcome.job.job.expiration, now: outcome.at)
        {
        case .wait(let seconds): .retry(seconds: seconds)
        // No attempt is left, and this one or one before may have been accepted: only that is true.
        case .giveUp where outcome.mayHaveBeenSent, .expire where outcome.verdict == .unknown:
            .tell(.unknown, reason: outcome.reason)
        case .giveUp: .tell(.failed, reason: "RetriesExhausted", detail: outcome.reason)
        case .expire: .tell(.expired, reason: outcome.reason)
        }
    }

    private func hold(_ outcome: Outcome, age: Int64) -> Decision {
        switch retry.hold(
            age: age, wish: outcome.retryAfterSeconds, expiration: outcome.job.job.expiration, now: outcome.at)
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
    /// Whether the output retries for this reason, such as a quota or a silent host, without a refused credential.
    fileprivate var isAboutTheMoment: Bool {
        guard let reason else { return false }
        return reason == Outcome.connectionFailed || reason == Outcome.noAnswer || job.traits.reasons[reason] == .retry
    }

    /// In this attempt or in one before.
    fileprivate var mayHaveBeenSent: Bool { verdict == .unknown || job.redelivered }
}
