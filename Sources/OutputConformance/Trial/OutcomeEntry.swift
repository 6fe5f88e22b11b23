import PushModel

/// An outcome that was reported. It holds no reference to the job, because a rule checks that the output releases the
/// job.
struct OutcomeEntry: Sendable {
    /// The number of the job within the trial.
    let number: Int
    let jobID: String
    let recipient: Int
    let verdict: Outcome.Verdict
    let status: Int
    let reason: String?
    let judge: Outcome.Judge
    let unregisteredAt: Timestamp?
    let trimmedBytes: Int
    let retryAfterSeconds: Int32
    let at: Timestamp
    /// The time at which the outcome was reported, according to the suite's clock.
    let cameAt: Timestamp

    init(_ outcome: Outcome, cameAt: Timestamp) {
        number = outcome.job.ledgerID
        jobID = outcome.job.job.id
        recipient = outcome.recipient
        verdict = outcome.verdict
        status = outcome.status
        reason = outcome.reason
        judge = outcome.judge
        unregisteredAt = outcome.unregisteredAt
        trimmedBytes = outcome.trimmedBytes
        retryAfterSeconds = outcome.retryAfterSeconds
        at = outcome.at
        self.cameAt = cameAt
    }
}

extension OutcomeEntry: CustomStringConvertible {
    var description: String { "\(jobID), recipient \(recipient): \(verdict)\(reason.map { " (\($0))" } ?? "")" }
}
