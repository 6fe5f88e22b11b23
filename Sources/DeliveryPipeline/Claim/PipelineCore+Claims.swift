import AMQPClient
package import CredentialStore
import Dispatch
import Foundation
import PushModel

extension PipelineCore {
    /// Asks the database whether this is the first of its name; the job goes on when that is known, and waits in the broker
    /// while the database is away: at once when others have waited for it in vain, or they would take all the room, and keep
    /// what is behind them for longer than the broker waits for an acknowledgement. Only chunks go on without.
    func ask(
        _ claim: Claim, _ job: Job, to output: any Output, _ environment: PushEnvironment, _ inbound: InboundJob,
        _ use: AppUse
    ) {
        // What is to be split takes no room from others: it owes no more than one.
        let recipients = isToBeSplit(job, inbound) ? 1 : job.recipients.count
        let entry = ledger.open(inbound, obligations: recipients)
        add(recipients, to: use, from: inbound.queue)
        let asked = Claims.Asked(
            claim: claim, job: job, output: output, environment: environment, inbound: inbound, use: use, entry: entry,
            since: now, recipients: recipients)
        if !claims.add(asked) { goOnWithoutClaim(asked, mayBeClaimed: false) }
    }

    /// At the end of every turn.
    func writeClaims() {
        if let batch = claims.next(id: messages.nextID()) { effects?.claim(batch) }
        guard !claims.isEmpty, !claimCheckIsScheduled else { return }
        claimCheckIsScheduled = true
        effects?.wait(configuration.databasePatience) { [self] in
            claimCheckIsScheduled = false
            let overdue = claims.overdue(
                chunks: configuration.databasePatience, others: configuration.longestWaitMilliseconds, now: now)
            for (asked, mayBeClaimed) in overdue { goOnWithoutClaim(asked, mayBeClaimed: mayBeClaimed) }
            finishTurn()
        }
    }

    /// - Parameter answers: one to each request of the batch.
    package func claimed(_ batch: Claims.Batch, _ answers: [ClaimAnswer]) {
        queue.async { [self] in
            for (asked, answer) in claims.answered(batch.id, answers) { settle(asked, answer) }
            finishTurn()
        }
    }

    private func goOnWithoutClaim(_ asked: Claims.Asked, mayBeClaimed: Bool) {
        if asked.claim.rule == .chunk { return settle(asked, .claimed) }
        let (job, inbound) = (asked.job, asked.inbound)
        add(-asked.recipients, to: asked.use, from: inbound.queue)
        let firstAttempt = inbound.firstAttempt(now: now)
        let decision = configuration.retry.hold(
            age: now.seconds - firstAttempt.seconds, expiration: job.expiration, now: now)
        switch decision {
        case .wait(let seconds):
            counts.jobsHeld += 1
            publish(
                messages.moved(
                    inbound, to: .delay(seconds: seconds), firstAttempt: firstAttempt,
                    // One that was not asked for has nothing to pass on but what was passed to it.
                    claimedBy: mayBeClaimed ? asked.claim.request.owner : inbound.earlierClaimant),
                isMove: !job.atMostOnce, meeting: [.init(entry: asked.entry, count: ledger.owing(of: asked.entry))])
        case .expire: settleAll(job, asked, as: .expired, reason: "DatabaseUnavailable")
        case .giveUp: settleAll(job, asked, as: .failed, reason: "DatabaseUnavailable")
        }
    }

    private func settleAll(_ job: Job, _ asked: Claims.Asked, as verdict: Outcome.Verdict, reason: String) {
        ledger.oweMore(asked.entry, job.recipients.count - ledger.owing(of: asked.entry))
        settleAll(job, asked.inbound, asked.environment, as: verdict, reason: reason, entry: asked.entry)
    }

    private func settle(_ asked: Claims.Asked, _ answer: ClaimAnswer) {
        let job = asked.job
        var inbound = asked.inbound
        if case .taken = answer { inbound.mayBeCopy = true }
        // Whose claim was never answered is no certain copy: its own statement may have been committed late.
        let verdict = asked.claim.verdict(
            answer, comesAgain: inbound.comesAgain || inbound.earlierClaimant != nil,
            isToBeSplit: isToBeSplit(job, inbound))
        add(-asked.recipients, to: asked.use, from: inbound.queue)
        switch verdict {
        case .goOn where isDraining:
            move(inbound, to: inbound.home, entry: asked.entry, atMostOnce: job.atMostOnce)
        case .goOn where isCancelled(asked.job):
            settleAll(job, asked, as: .failed, reason: Outcome.cancelled)
        case .goOn:
            begin(job, to: asked.output, inbound, asked.use, entry: asked.entry)
        case .unknown:
            settleAll(job, inbound, asked.environment, as: .unknown, reason: "Redelivered", entry: asked.entry)
        case .drop:
            counts.jobsDuplicate += 1
            let count = ledger.owing(of: asked.entry)
            if let settled = ledger.met(.init(entry: asked.entry, count: count)) { settle([settled]) }
        case .reject:
            let window =
                job.atMostOnce
                ? "jobs.at_most_once_window = \(configuration.atMostOnceWindow)"
                : "jobs.deduplication_window = \(configuration.deduplicationWindow)"
            reject(
                inbound,
                JobRejection(
                    jobID: job.id, app: job.app,
                    faults: [
                        .init(
                            field: "id",
                            problem: "was given to another job, with other content, within the last \(window) seconds")
                    ]),
                traceparent: inbound.traceparent, entry: asked.entry)
        }
    }
}
