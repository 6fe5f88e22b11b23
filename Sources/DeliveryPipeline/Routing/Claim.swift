import AMQPClient
import PushModel
import Store

/// Why a job must be known to be the first of its name before it is sent, and what it means that it is not.
struct Claim {
    enum Rule {
        /// Never sent twice, whatever happens.
        case atMostOnce
        /// Published twice, it is sent once; coming again because its worker has died, it is sent again.
        case deduplicated
        /// A job that is split twice makes the same chunks twice; those that somebody has begun with are left out.
        case chunk
    }

    enum Verdict {
        case goOn
        /// The other one of its name is sent, and its outcomes are reported.
        case drop
        /// It may have been sent, and nobody else reports it.
        case unknown
        /// Another job has its name.
        case reject
    }

    /// How long the name of a chunk is remembered, in seconds: a job that is split again within a day, replayed out of the
    /// dead-letter queue for one, leaves out what was sent of it, however long both wait for a rate.
    static let chunkSeconds = PaceLimit.longest + 86_400

    let rule: Rule
    let request: ClaimRequest

    /// - Parameter owner: a UUID of this asking.
    /// - Returns: nil if the job can be sent without asking.
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
            // A part's name was made up by a worker, a job's by its publisher.
            content: isWhole ? JobContent(inbound.delivery.body) : nil, owner: owner(),
            predecessor: inbound.earlierClaimant)
    }

    /// What to do with the job. One that was claimed before and does not come again has a copy that was claimed, and
    /// which will be reported or come again itself.
    /// - Parameter isToBeSplit: nothing of it is sent before its chunks have been claimed, each by itself.
    func verdict(_ answer: ClaimAnswer, comesAgain: Bool, isToBeSplit: Bool) -> Verdict {
        switch answer {
        case .claimed: .goOn
        case .differs: .reject
        case .taken where !comesAgain: .drop
        case .taken: rule == .atMostOnce && !isToBeSplit ? .unknown : .goOn
        }
    }
}
