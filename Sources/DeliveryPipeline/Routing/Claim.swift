import AMQPClient
import PushModel
import Store

/// A claim that a job must make before it is sent. It also determines the action after the database's answer.
struct Claim {
    /// The reason for a claim.
    enum Rule {
        /// The job is never sent twice.
        case atMostOnce
        /// A job that is published twice is sent once. A redelivery after the job's worker has died is sent again.
        case deduplicated
        /// A chunk of a job that is split twice is sent once. A redelivery of the chunk is sent again.
        case chunk
    }

    /// The action after the answer to a claim.
    enum Verdict {
        case goOn
        /// The job is dropped, because another delivery of the same job reports the outcomes.
        case drop
        /// The outcomes are reported as `unknown`. The job may have been sent, and no other delivery reports its
        /// outcomes.
        case unknown
        /// The job is rejected, because another job has the same name.
        case reject
    }

    /// The time for which the name of a chunk is remembered, in seconds. If a job is split again within a day, for
    /// example after a replay from the dead-letter queue, chunks that were sent are left out. The maximum wait for a
    /// rate limit is added to that day.
    static let chunkSeconds = RateWaitLimit.longest + 86_400

    let rule: Rule
    let request: ClaimRequest

    /// Creates the claim of a job, or returns `nil` if the job can be sent without a claim.
    ///
    /// - Parameter owner: a closure that returns a UUID for this request.
    init?(_ job: Job, _ inbound: InboundJob, _ configuration: PipelineConfiguration, owner: () -> String) {
        let isWhole = inbound.part == nil
        let seconds: Int
        if job.atMostOnce {
            (rule, seconds) = (.atMostOnce, configuration.limits.atMostOnceWindow)
        } else if isWhole, configuration.deduplicates(job) {
            (rule, seconds) = (.deduplicated, configuration.limits.deduplicationWindow)
        } else if inbound.isChunk {
            (rule, seconds) = (.chunk, Self.chunkSeconds)
        } else {
            return nil
        }
        request = ClaimRequest(
            key: ClaimKey(
                output: job.output, app: job.app, name: inbound.part ?? job.id, isPart: !isWhole, seconds: seconds),
            // The name of a part is unique, because a worker made it. The name of a job comes from its publisher, so
            // the content is compared.
            content: isWhole ? JobContent(inbound.delivery.body) : nil, owner: owner(),
            predecessor: inbound.earlierClaimant)
    }

    /// Returns the action for a job after the answer to its claim. If the name is taken and this delivery is not a
    /// redelivery, another delivery of the same job holds the claim and reports the outcomes.
    ///
    /// - Parameters:
    ///   - comesAgain: whether this delivery is a redelivery, or repeats an earlier claim.
    ///   - isToBeSplit: whether the job will be split. Its chunks are then claimed separately before they are sent.
    func verdict(_ answer: ClaimAnswer, comesAgain: Bool, isToBeSplit: Bool) -> Verdict {
        switch answer {
        case .claimed: .goOn
        case .differs: .reject
        case .taken where !comesAgain: .drop
        case .taken: rule == .atMostOnce && !isToBeSplit ? .unknown : .goOn
        }
    }
}
