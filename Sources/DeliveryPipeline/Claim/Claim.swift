package import CredentialStore
import PushModel

/// Why a job must be known to be the first of its name before it is sent, and what it means that it is not.
struct Claim {
    enum Rule {
        /// Never sent twice, whatever happens.
        case atMostOnce
        /// Published twice, it is sent once; coming again because its worker has died, it is sent again.
        case deduplicated
        /// A job that was scattered twice makes the same chunks twice; those that somebody has begun with are left out.
        case chunk
    }

    enum Answer {
        case goOn
        /// The other one of its name is sent, and its outcomes are reported.
        case drop
        /// It may have been sent, and nobody else reports it.
        case unknown
    }

    let key: ClaimKey
    let rule: Rule

    /// - Returns: nil if the job can be sent without asking.
    init?(_ job: Job, _ inbound: InboundJob, _ configuration: PipelineConfiguration) {
        let seconds: Int
        if job.atMostOnce {
            (rule, seconds) = (.atMostOnce, configuration.atMostOnceWindow)
        } else if configuration.deduplicates(job), inbound.part == nil || inbound.isChunk {
            (rule, seconds) = (.deduplicated, configuration.deduplicationWindow)
        } else if inbound.isChunk {
            (rule, seconds) = (.chunk, 3600)
        } else {
            return nil
        }
        key = ClaimKey(
            output: job.output, app: job.app, name: inbound.part ?? job.id, isPart: inbound.part != nil,
            seconds: seconds)
    }

    /// What to do with a job whose name was claimed before. One that does not come again has a copy that was claimed,
    /// and which will be reported or come again itself.
    func answer(comesAgain: Bool, wasSentBefore: Bool) -> Answer {
        switch rule {
        case .atMostOnce: comesAgain ? .unknown : .drop
        case .deduplicated: comesAgain ? .goOn : .drop
        // Where its job has come once, the claim is that of an earlier job of the same id.
        case .chunk: comesAgain || !wasSentBefore ? .goOn : .drop
        }
    }
}

/// Claims on their way to the database: one statement at a time, the rest gathers meanwhile.
package struct Claims {
    package struct Batch: Sendable {
        package let id: UInt64
        package let keys: [ClaimKey]
    }

    /// A job that waits for its claim.
    struct Asked {
        let claim: Claim
        let job: Job
        let output: any Output
        let environment: PushEnvironment
        let inbound: InboundJob
        let use: AppUse
        let entry: Int
    }

    private var gathering: [Asked] = []
    private var asking: (id: UInt64, jobs: [Asked])?
    /// The database takes its time, if it is there at all.
    private(set) var isDelayed = false

    var canBeWritten: Bool { !gathering.isEmpty && asking == nil }

    mutating func add(_ asked: Asked) { gathering.append(asked) }

    mutating func next(id: UInt64) -> Batch? {
        guard canBeWritten else { return nil }
        asking = (id, gathering)
        defer { gathering = [] }
        return Batch(id: id, keys: gathering.map(\.claim.key))
    }

    mutating func answered(_ id: UInt64) -> [Asked] {
        guard let asking, asking.id == id else { return [] }
        self.asking = nil
        isDelayed = false
        return asking.jobs
    }

    /// There is no answer yet.
    /// - Returns: chunks, which don't wait for one any longer: it would tell of a crash, and such are rare.
    mutating func delayed(_ id: UInt64) -> [Asked] {
        guard let asking, asking.id == id else { return [] }
        isDelayed = true
        let chunks = (asking.jobs + gathering).filter { $0.claim.rule == .chunk }
        self.asking?.jobs.removeAll { $0.claim.rule == .chunk }
        gathering.removeAll { $0.claim.rule == .chunk }
        return chunks
    }
}
