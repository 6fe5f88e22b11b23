import CredentialStore
import PushModel

extension PipelineCore {
    /// What became of one recipient.
    func settle(_ outcome: Outcome) {
        switch outcomePolicy.decide(outcome, firstAttempt: firstAttempt(of: outcome)) {
        case .tell(let kind, let reason, let detail): tell(outcome, as: kind, reason: reason, detail: detail)
        case .count(let kind):
            count(kind)
            if let done = outbox.ledger.met(.init(entry: outcome.job.ledgerID, count: 1)) { acknowledge([done]) }
        case .mark(let reason): mark(outcome, reason: reason)
        case .retry(let seconds):
            counts.retries += 1
            retries.add(outcome, seconds: seconds)
        case .hold(let seconds):
            counts.pushesHeld += 1
            retries.add(outcome, seconds: seconds)
        case .goBack:
            counts.pushesGivenBack += 1
            retries.add(outcome, seconds: 0)
        }
    }

    private func firstAttempt(of outcome: Outcome) -> Timestamp {
        outbox.ledger.delivery(of: outcome.job.ledgerID)?.inbound.firstAttempt(now: outcome.at) ?? outcome.at
    }

    func tell(
        _ outcome: Outcome, as kind: OutcomeKind, reason: String? = nil, detail: String? = nil
    ) {
        count(kind)
        if let full = events.add(outcome, as: kind, reason: reason, detail: detail) { publishEvent(full) }
    }

    func publishEvent(_ batch: EventBatch) {
        let (shares, lane) = (batch.shares, batch.lane)
        let event = outbox.messages.event(batch, now: now)
        outbox.publish(event, event: HeldEvent(event, lane: lane, since: now), meeting: shares)
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

    func count(_ kind: OutcomeKind) { counts.told[kind.place] += 1 }

    /// Sends the gathered recipients of a job into a delay queue, or back to where they came from.
    func publishRetry(_ batch: RetryBatcher.Batch) {
        let routed = batch.job
        let inbound = outbox.ledger.delivery(of: routed.ledgerID)?.inbound
        let wasTried = batch.seconds > 0 || inbound?.hasBeenTried == true
        let publication = outbox.messages.part(
            .init(
                job: routed.job, body: JobEncoder.encode(routed.job, recipients: batch.recipients), lane: routed.lane,
                attempt: batch.isHeld ? routed.attempt : routed.attempt + 1,
                firstAttempt: wasTried ? inbound?.firstAttempt(now: now) : nil,
                redelivered: routed.redelivered || batch.maybeSent, name: outbox.messages.newPartName(),
                publisher: inbound?.publisher(worker: configuration.brokerUser)),
            to: batch.seconds > 0 ? .delay(seconds: batch.seconds) : inbound?.home ?? .lane)
        outbox.publish(publication, meeting: [.init(entry: routed.ledgerID, count: batch.recipients.count)])
    }
}

extension Outcome {
    /// When a provider that gives no time says that a token is dead, that is the time.
    var foundDeadAt: Timestamp { unregisteredAt ?? at }
}
