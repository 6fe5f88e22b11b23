import Foundations
import Logging
import PushModel
import Store

/// The component that claims the names of jobs in the database before they are sent. A job continues once the database
/// has answered.
///
/// While the database is unavailable, jobs wait in delay queues. They are moved there after a timeout, or at once if
/// earlier jobs have timed out. Otherwise they would use the worker's whole capacity, and the jobs behind them would
/// exceed the broker's acknowledgement timeout. Only chunks of jobs that are not `at_most_once` continue without an
/// answer. A value type without clock or I/O.
struct JobClaimer {
    /// The next step of a job after its claim.
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

    /// Returns the next batch of claims for the database, or `nil` if there is none. The core calls this method at the
    /// end of every turn.
    mutating func next(_ turn: inout Turn) -> Claims.Batch? {
        if !isWatched, !claims.isEmpty {
            isWatched = true
            turn.wait(.claims, configuration.databasePatience)
        }
        return claims.next(id: turn.outbox.messages.nextID())
    }

    /// Handles jobs whose claims have timed out. Chunks that are not `at_most_once` continue, and other jobs are moved
    /// to a delay queue or settled.
    ///
    /// - Returns: the decisions about the jobs that are not moved.
    mutating func overdue(_ turn: inout Turn) -> [Decision] {
        isWatched = false
        let overdue = claims.overdue(
            chunks: configuration.databasePatience, others: configuration.longestWaitMilliseconds, now: turn.now)
        return overdue.compactMap { goOnWithoutClaim($0.asked, mayBeClaimed: $0.mayBeClaimed, &turn) }
    }

    /// Handles the database's answers to a batch of claims.
    ///
    /// - Parameter answers: the answers to the requests of the batch, in the same order.
    /// - Returns: the decisions about the jobs that are neither dropped nor rejected.
    mutating func answered(_ id: UInt64, _ answers: [ClaimAnswer], _ turn: inout Turn) -> [Decision] {
        let (answered, missing) = claims.answered(id, answers)
        if missing > 0 {
            turn.logger.error(
                .claimsUnanswered, "The database did not answer some claims; requesting them again",
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
                // If the claim was not sent to the database yet, the job keeps the claimant of an earlier request.
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
        // If an earlier claim of this job was never answered, its statement may have been committed late. The job may
        // then be the owner of the claim, and not a duplicate.
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
        return job.rejected("id", "was used for another job with different content within the last \(window) seconds")
    }
}
