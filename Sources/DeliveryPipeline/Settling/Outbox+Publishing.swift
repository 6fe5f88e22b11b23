import AMQPClient
import Contract
import PushModel

/// The publishing of jobs and result events.
extension Outbox {
    /// Publishes a job in its original form to a queue of the workers, which may be the queue that it came from.
    mutating func move(_ job: OpenJob, to destination: OutboundMessages.Destination, firstAttempt: Timestamp? = nil) {
        let publication = messages.moved(
            job.inbound, to: destination, firstAttempt: firstAttempt,
            part: job.hasClaim ? messages.newPartName() : nil, trace: job.trace?.headers)
        publish(publication, isMove: !job.isOnce, meeting: [ledger.rest(of: job.entry)])
    }

    /// Publishes a job in its original form to a queue in which the job waits for its turn.
    ///
    /// - Parameter waitingSince: the time since which the job has waited for the rate limit of its app, or `nil` if the
    ///   job does not wait for that limit.
    mutating func putOff(
        _ job: OpenJob, to destination: OutboundMessages.Destination, waitingSince: Timestamp?
    ) {
        var paced = job.inbound.paced
        if case .delay(let seconds) = destination { paced += seconds }
        let publication = messages.moved(
            job.inbound, to: destination, waitingSince: waitingSince,
            part: job.hasClaim ? messages.newPartName() : nil, trace: job.trace?.headers,
            paced: paced > 0 ? paced : nil)
        publish(publication, isMove: !job.isOnce, meeting: [ledger.rest(of: job.entry)])
    }

    /// Publishes a job in its original form to a delay queue, where it waits for its time slot. If the job has already
    /// been attempted, this wait does not count towards the time during which it is retried.
    mutating func throttle(_ job: OpenJob, until slot: RateLimiter.Slot, _ now: Timestamp) {
        let (inbound, seconds) = (job.inbound, slot.delay(now: now))
        let firstAttempt =
            inbound.hasBeenTried ? inbound.firstAttempt(now: now).milliseconds + Int64(seconds) * 1_000 : nil
        let publication = messages.moved(
            inbound, to: .delay(seconds: seconds), firstAttempt: firstAttempt.map { Timestamp(milliseconds: $0) },
            slot: slot, paced: inbound.paced + seconds)
        publish(publication, isMove: true, meeting: [ledger.rest(of: job.entry)])
    }

    /// Publishes a job in its original form to a delay queue, where it waits until the database is available again.
    ///
    /// - Parameter claimant: the owner of a claim request that was not answered and may have succeeded, or `nil`.
    mutating func moveUnclaimed(_ job: StartedJob, seconds: Int, firstAttempt: Timestamp, claimant: String?) {
        let publication = messages.moved(
            job.inbound, to: .delay(seconds: seconds), firstAttempt: firstAttempt, claimedBy: claimant,
            trace: job.trace?.headers)
        publish(publication, isMove: !job.job.atMostOnce, meeting: [ledger.rest(of: job.entry)])
    }

    /// Publishes a job in its original form to the dead-letter exchange.
    mutating func putAmongTheDead(_ job: OpenJob, _ rejection: JobRejection) {
        let publication = messages.dead(
            job.inbound, reason: rejection.description, part: job.hasClaim ? messages.newPartName() : nil,
            trace: job.trace?.headers)
        publish(publication, meeting: [ledger.rest(of: job.entry)])
    }

    /// Publishes the result event for a rejected job. The event is an additional pending settlement of the job.
    mutating func tell(_ rejection: JobRejection, of job: OpenJob, now: Timestamp) {
        ledger.oweMore(job.entry)
        let event = messages.event(rejection, trace: job.traceHeaders, now: now)
        publish(
            event, event: DelayedEvent(event, lane: job.inbound.lane, since: now),
            meeting: [.init(entry: job.entry, count: 1)])
    }

    mutating func publish(_ batch: EventBatch, _ now: Timestamp) {
        let (shares, lane) = (batch.shares, batch.lane)
        if batch.key.trace?.isRecorded == true {
            for share in shares { ledger.delivery(of: share.entry)?.trace?.tells(share.count, now) }
        }
        let event = messages.event(
            batch, reportsUnroutable: routing.samples(batch.key.kind, now: now), now: now)
        publish(event, event: DelayedEvent(event, lane: lane, since: now), isOutcomes: true, meeting: shares)
    }

    /// Publishes those recipients of a job that need another attempt. They go to a delay queue or, without a delay, to
    /// their lane or the queue of suspects.
    mutating func publish(_ batch: RetryBatcher.Batch, _ now: Timestamp, brokerUser: String?) {
        let routed = batch.job
        let inbound = ledger.delivery(of: routed.ledgerID)?.inbound
        let wasTried = batch.verdict != .returned || inbound?.hasBeenTried == true
        let publication = messages.part(
            .init(
                job: routed.job, body: JobEncoder.encode(routed.job, recipients: batch.recipients), lane: routed.lane,
                attempt: batch.isHeld ? routed.attempt : routed.attempt + 1,
                firstAttempt: wasTried ? inbound?.firstAttempt(now: now) : nil,
                redelivered: routed.redelivered || batch.maybeSent, since: inbound?.since,
                name: messages.newPartName(),
                publisher: inbound?.publisher(worker: brokerUser), trace: routed.trace),
            to: batch.seconds > 0 ? .delay(seconds: batch.seconds) : inbound?.home ?? .returned)
        publish(publication, meeting: [.init(entry: routed.ledgerID, count: batch.recipients.count)])
    }

    func firstAttempt(of outcome: Outcome) -> Timestamp {
        ledger.delivery(of: outcome.job.ledgerID)?.inbound.firstAttempt(now: outcome.at) ?? outcome.at
    }
}
