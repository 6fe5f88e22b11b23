package import CredentialStore
import Dispatch
import PushModel

extension PipelineCore {
    /// Asks the database whether this is the first of its name; the job goes on when that is known, and waits in the broker
    /// while the database is away: at once when others have waited for it in vain, or they would take all the room, and keep
    /// what is behind them for longer than the broker waits for an acknowledgement. Only chunks go on without.
    func ask(_ claim: Claim, _ started: StartedJob) {
        // What is to be split takes no room from others: it owes no more than one.
        take(isToBeSplit(started) ? 1 : started.job.recipients.count, of: started)
        let asked = Claims.Asked(claim: claim, job: started, since: now)
        if !claims.add(asked) { goOnWithoutClaim(asked, mayBeClaimed: false) }
    }

    private func isToBeSplit(_ started: StartedJob) -> Bool {
        configuration.isToBeSplit(started.job, started.inbound)
    }

    /// At the end of every turn.
    func writeClaims() {
        if let batch = claims.next(id: outbox.messages.nextID()) { effects.claim(batch) }
        guard !claimCheckIsScheduled, !claims.isEmpty else { return }
        claimCheckIsScheduled = true
        wait(.claims, configuration.databasePatience) { [self] in
            claimCheckIsScheduled = false
            let overdue = claims.overdue(
                chunks: configuration.databasePatience, others: configuration.longestWaitMilliseconds, now: now)
            for (asked, mayBeClaimed) in overdue { goOnWithoutClaim(asked, mayBeClaimed: mayBeClaimed) }
        }
    }

    /// - Parameter answers: one to each request of the batch.
    package func claimed(_ batch: Claims.Batch, _ answers: [ClaimAnswer]) {
        turn { [self] in
            for (asked, answer) in claims.answered(batch.id, answers) { goOn(asked, answer) }
        }
    }

    private func goOnWithoutClaim(_ asked: Claims.Asked, mayBeClaimed: Bool) {
        if asked.claim.rule == .chunk { return goOn(asked, .claimed) }
        let (started, inbound) = (asked.job, asked.job.inbound)
        let firstAttempt = inbound.firstAttempt(now: now)
        let decision = configuration.retry.hold(
            age: now.seconds - firstAttempt.seconds, expiration: started.job.expiration, now: now)
        switch decision {
        case .wait(let seconds):
            counts.jobsHeld += 1
            release(started)
            outbox.publish(
                outbox.messages.moved(
                    inbound, to: .delay(seconds: seconds), firstAttempt: firstAttempt,
                    // One that was not asked for has nothing to pass on but what was passed to it.
                    claimedBy: mayBeClaimed ? asked.claim.request.owner : inbound.earlierClaimant),
                isMove: !started.job.atMostOnce, meeting: [outbox.ledger.rest(of: started.entry)])
        case .expire: settleAll(started, as: .expired, reason: "DatabaseUnavailable")
        case .giveUp: settleAll(started, as: .failed, reason: "DatabaseUnavailable")
        }
    }

    private func goOn(_ asked: Claims.Asked, _ answer: ClaimAnswer) {
        let started = asked.job
        started.hasClaim = true
        if case .taken = answer { started.inbound.mayBeCopy = true }
        // Whose claim was never answered is no certain copy: its own statement may have been committed late.
        let verdict = asked.claim.verdict(
            answer, comesAgain: started.inbound.comesAgain || started.inbound.earlierClaimant != nil,
            isToBeSplit: isToBeSplit(started))
        switch verdict {
        case .goOn where isDraining: move(started, to: started.inbound.home)
        case .goOn where isCancelled(started.job): settleAll(started, as: .failed, reason: Outcome.cancelled)
        case .goOn: route(started)
        case .unknown: settleAll(started, as: .unknown, reason: "Redelivered")
        case .drop:
            counts.jobsDuplicate += 1
            if let done = outbox.ledger.met(outbox.ledger.rest(of: started.entry)) { acknowledge([done]) }
        case .reject: reject(started, nameIsTaken(started.job))
        }
    }

    private func nameIsTaken(_ job: Job) -> JobRejection {
        let window =
            job.atMostOnce
            ? "jobs.at_most_once_window = \(configuration.limits.atMostOnceWindow)"
            : "jobs.deduplication_window = \(configuration.limits.deduplicationWindow)"
        return job.rejected(
            "id", "was given to another job, with other content, within the last \(window) seconds")
    }
}
