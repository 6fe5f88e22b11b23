import EventNames
import Logging
import PushModel
import Store

/// Asks the database whether jobs are the first of their names; a job goes on when that is known, and waits in the
/// broker while the database is away: at once when others have waited for it in vain, or they would take all the room,
/// and keep what is behind them for longer than the broker waits for an acknowledgement. Only chunks go on without. A
/// value: no clock, no I/O.
struct ClaimDesk {
    /// What the pipeline is to do.
    enum Decision {
        case goOn(StartedJob)
        case settle(StartedJob, Outcome.Verdict, reason: String)
    }

    var configuration: PipelineConfiguration
    private var claims = Claims()
    private var isWatched = false

    init(_ configuration: PipelineConfiguration) {
        self.configuration = configuration
    }

    mutating func ask(_ claim: Claim, _ started: StartedJob, _ turn: inout Turn) -> Decision? {
        let asked = Claims.Asked(claim: claim, job: started, since: turn.now)
        return claims.add(asked) ? nil : goOnWithoutClaim(asked, mayBeClaimed: false, &turn)
    }

    /// At the end of every turn.
    mutating func next(_ turn: inout Turn) -> Claims.Batch? {
        if !isWatched, !claims.isEmpty {
            isWatched = true
            turn.wait(.claims, configuration.databasePatience)
        }
        return claims.next(id: turn.outbox.messages.nextID())
    }

    /// - Returns: what is to be done with those that have waited for too long.
    mutating func overdue(_ turn: inout Turn) -> [Decision] {
        isWatched = false
        let overdue = claims.overdue(
            chunks: configuration.databasePatience, others: configuration.longestWaitMilliseconds, now: turn.now)
        return overdue.compactMap { goOnWithoutClaim($0.asked, mayBeClaimed: $0.mayBeClaimed, &turn) }
    }

    /// - Parameter answers: to the requests of the batch, in their order.
    mutating func answered(_ id: UInt64, _ answers: [ClaimAnswer], _ turn: inout Turn) -> [Decision] {
        let (answered, missing) = claims.answered(id, answers)
        if missing > 0 {
            turn.logger.error(
                .claimsUnanswered, "The database has left claims without an answer; they are asked for again",
                metadata: ["claims": "\(missing)"])
        }
        return answered.compactMap { goOn($0.asked, $0.answer, &turn) }
    }

    private func goOnWithoutClaim(_ asked: Claims.Asked, mayBeClaimed: Bool, _ turn: inout Turn) -> Decision? {
        if asked.claim.rule == .chunk { return goOn(asked, .claimed, &turn) }
        let started = asked.job
        let firstAttempt = started.inbound.firstAttempt(now: turn.now)
        let decision = configuration.retry.hold(
            age: turn.now.seconds - firstAttempt.seconds, expiration: started.job.expiration, now: turn.now)
        switch decision {
        case .wait(let seconds):
            turn.counts.jobsUnclaimed += 1
            turn.release(started)
            turn.outbox.moveUnclaimed(
                started, seconds: seconds, firstAttempt: firstAttempt,
                // One that was not asked for has nothing to pass on but what was passed to it.
                claimant: mayBeClaimed ? asked.claim.request.owner : started.inbound.earlierClaimant)
            return nil
        case .expire: return .settle(started, .expired, reason: "DatabaseUnavailable")
        case .giveUp: return .settle(started, .failed, reason: "DatabaseUnavailable")
        }
    }

    private func goOn(_ asked: Claims.Asked, _ answer: ClaimAnswer, _ turn: inout Turn) -> Decision? {
        let started = asked.job
        started.hasClaim = true
        if case .taken = answer { started.inbound.mayBeCopy = true }
        // A job whose claim was never answered is no certain copy: its own statement may have been committed late.
        let verdict = asked.claim.verdict(
            answer, comesAgain: started.inbound.comesAgain || started.inbound.earlierClaimant != nil,
            isToBeSplit: started.isToBeSplit)
        switch verdict {
        case .goOn: return .goOn(started)
        case .unknown: return .settle(started, .unknown, reason: "Redelivered")
        case .drop:
            turn.counts.jobsDuplicate += 1
            turn.met(turn.outbox.ledger.rest(of: started.entry))
        case .reject: turn.reject(started, nameIsTaken(started.job))
        }
        return nil
    }

    private func nameIsTaken(_ job: Job) -> JobRejection {
        let window =
            job.atMostOnce
            ? "jobs.at_most_once_window = \(configuration.limits.atMostOnceWindow)"
            : "jobs.deduplication_window = \(configuration.limits.deduplicationWindow)"
        return job.rejected("id", "was given to another job, with other content, within the last \(window) seconds")
    }
}
