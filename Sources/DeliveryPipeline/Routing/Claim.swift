import AMQPClient
import PushModel
import Store

/// A claim that a job must make before it is sent, and the meaning of each answer.
struct Claim {
    enum Rule {
        /// The job is never sent twice.
        case atMostOnce
        /// A job that is published twice is sent once. A redelivery after the death of its worker is sent again.
        case deduplicated
        /// A job that is split twice results in the same chunks twice. Chunks that a worker has already started are
        /// left out.
        case chunk
    }

    enum Verdict {
        case goOn
        /// Another delivery with this name is sent, and reports its outcomes.
        case drop
        /// The job may have been sent, and no other delivery reports its outcomes.
        case unknown
        /// Another job has this name.
        case reject
    }

    /// The time for which the name of a chunk is remembered, in seconds. If a job is split again within a day, for
    /// example after a replay from the dead-letter queue, chunks that were sent are left out. This holds however long
    /// both wait for a rate limit.
    static let chunkSeconds = PaceLimit.longest + 86_400

    let rule: Rule
    let request: ClaimRequest

    /// Creates the claim of a job.
    ///
    /// - Parameter owner: returns a UUID for this request.
    /// - Returns: `nil` if the job can be sent without a claim.
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
            // A part's name is unique, because a worker made it. A job's name comes from its publisher.
            content: isWhole ? JobContent(inbound.delivery.body) : nil, owner: owner(),
            predecessor: inbound.earlierClaimant)
    }

    /// Returns the action for a job after the answer to its claim. If the name is taken and this delivery is not a
    /// redelivery, another delivery of the same job holds the claim and reports its outcome.
    ///
    /// - Parameter isToBeSplit: whether the job will be split. Its chunks are then claimed separately before they are
    ///   sent.
    func verdict(_ answer: ClaimAnswer, comesAgain: Bool, isToBeSplit: Bool) -> Verdict {
        switch answer {
        case .claimed: .goOn
        case .differs: .reject
        case .taken where !comesAgain: .drop
        case .taken: rule == .atMostOnce && !isToBeSplit ? .unknown : .goOn
        }
    }
}
