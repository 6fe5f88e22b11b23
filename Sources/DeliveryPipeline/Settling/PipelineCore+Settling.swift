import CredentialStore
import PushModel

extension PipelineCore {
    /// Decides what becomes of one outcome: an event, a mark, another attempt, or nothing to say.
    func settle(_ outcome: Outcome) {
        switch outcome.verdict {
        case .sent where outcome.job.job.results == .problems:
            count(.sent)
            if let settled = ledger.met(.init(entry: outcome.job.ledgerID, count: 1)) { settle([settled]) }
        case .sent: publish(outcome, as: .sent)
        case .unregistered: mark(outcome, reason: outcome.reason ?? "Unregistered")
        case .rejected: publish(outcome, as: .rejected, reason: outcome.reason)
        case .failed where outcome.judge == .provider:
            publish(outcome, as: .failed, reason: "CredentialRefused", detail: outcome.reason)
        case .failed: publish(outcome, as: .failed, reason: outcome.reason)
        case .expired: publish(outcome, as: .expired, reason: outcome.reason)
        case .suppressed: publish(outcome, as: .suppressed)
        case .unknown where outcome.job.job.atMostOnce:
            publish(outcome, as: .unknown, reason: outcome.reason)
        case .unknown, .retry: retry(outcome)
        case .hold: hold(outcome)
        case .returned:
            counts.pushesGivenBack += 1
            retries.add(outcome, seconds: 0)
        }
    }

    private func retry(_ outcome: Outcome) {
        let job = outcome.job
        switch configuration.retry.decide(
            afterAttempt: job.attempt, age: age(of: outcome), wish: outcome.retryAfterSeconds,
            expiration: job.job.expiration, now: outcome.at)
        {
        case .wait(let seconds):
            counts.retries += 1
            retries.add(outcome, seconds: seconds)
        case .giveUp where outcome.mayHaveBeenSent, .expire where outcome.verdict == .unknown:
            // No attempt is left, and this one or one before may have been accepted: only that is true.
            publish(outcome, as: .unknown, reason: outcome.reason)
        case .giveUp: publish(outcome, as: .failed, reason: "RetriesExhausted", detail: outcome.reason)
        case .expire: publish(outcome, as: .expired, reason: outcome.reason)
        }
    }

    /// The push waits in the broker until its credential is mended.
    private func hold(_ outcome: Outcome) {
        switch configuration.retry.hold(
            age: age(of: outcome), wish: outcome.retryAfterSeconds, expiration: outcome.job.job.expiration,
            now: outcome.at)
        {
        case .wait(let seconds):
            counts.pushesHeld += 1
            retries.add(outcome, seconds: seconds)
        case .giveUp where outcome.mayHaveBeenSent: publish(outcome, as: .unknown, reason: outcome.reason)
        case .giveUp: publish(outcome, as: .failed, reason: "CredentialRefused", detail: outcome.reason)
        case .expire: publish(outcome, as: .expired, reason: outcome.reason)
        }
    }

    /// Seconds since the first attempt.
    private func age(of outcome: Outcome) -> Int64 {
        guard let inbound = ledger.delivery(of: outcome.job.ledgerID) else { return 0 }
        return outcome.at.seconds - inbound.firstAttempt(now: outcome.at).seconds
    }

    func publish(
        _ outcome: Outcome, as kind: OutcomeKind, reason: String? = nil, detail: String? = nil
    ) {
        count(kind)
        if let full = events.add(outcome, as: kind, reason: reason, detail: detail) { publish(full) }
    }

    /// The outcome is told when the token is marked: who hears of it may rely on that.
    private func mark(_ outcome: Outcome, reason: String) {
        if marks.isDelayed { return hold(outcome, reason: reason) }
        let job = outcome.job.job
        marks.add(
            TokenMark(
                key: job.key(of: outcome.recipient, in: outcome.job.environment),
                unregisteredAt: outcome.foundDeadAt, reason: reason,
                registeredAt: job.recipients[outcome.recipient].registeredAt),
            outcome)
    }

    func count(_ kind: OutcomeKind) {
        counts.outcomes[kind.rawValue, default: 0] += 1
    }

    /// Sends the gathered recipients of a job into a delay queue, or back to where they came from.
    func publish(_ batch: RetryBatcher.Batch) {
        let routed = batch.job
        let inbound = ledger.delivery(of: routed.ledgerID)
        let wasTried = batch.seconds > 0 || inbound?.hasBeenTried == true
        let publication = messages.part(
            .init(
                job: routed.job, body: JobEncoder.encode(routed.job, recipients: batch.recipients), lane: routed.lane,
                attempt: batch.isHeld ? routed.attempt : routed.attempt + 1,
                firstAttempt: wasTried ? inbound?.firstAttempt(now: now) : nil,
                redelivered: routed.redelivered || batch.maybeSent, name: messages.newPartName(),
                publisher: inbound?.publisher(worker: configuration.brokerUser)),
            to: batch.seconds > 0 ? .delay(seconds: batch.seconds) : inbound?.home ?? .lane)
        publish(publication, meeting: [.init(entry: routed.ledgerID, count: batch.recipients.count)])
    }
}

extension Outcome {
    /// In this attempt or in one before.
    fileprivate var mayHaveBeenSent: Bool { verdict == .unknown || job.redelivered }

    /// When a provider that gives no time says that a token is dead, that is the time.
    var foundDeadAt: Timestamp { unregisteredAt ?? at }
}
