/// A record of all observations of a run, as a value. The ``Verdict`` is based on it. Times are in milliseconds since
/// 1970.
package struct TortureRecord: Sendable {
    package var limits = Limits()
    package var jobs: [Int: JobRecord] = [:]
    package var outcomes: [OutcomeRecord] = []
    package var sightings: [SightingRecord] = []
    package var faults: [FaultRecord] = []
    /// The recipients whose addresses are marked dead in the database.
    package var marked: Set<RecipientID> = []
    /// The number of messages in each queue after all workers have ended. The broker requeues unacknowledged messages
    /// before they are counted.
    package var waiting: [String: Int] = [:]
    /// The messages in the dead-letter queue.
    package var dead: [DeadRecord] = []
    package var rejections: [RejectionRecord] = []
    /// The jobs that workers moved to the suspects queue.
    package var suspects: [SuspectRecord] = []
    package var joins: [JoinRecord] = []
    /// The workers' log lines about channels that the broker closed because a delivery was not acknowledged in time.
    package var timeouts: [String] = []
    /// The size of the largest result event's body, in bytes.
    package var largestEvent = 0
    package var memory: [MemorySample] = []
    package var workerEnds: [WorkerEnd] = []
    /// Observations that the run could not interpret.
    package var oddities: [String] = []
    /// Whether all outcomes and messages were settled in time.
    package var isSettled = true

    package init() {}

    /// Records that an address of an output is marked dead.
    package mutating func mark(_ address: String, of output: String) {
        guard let recipient = RecipientID(address: address), jobs[recipient.job]?.output.rawValue == output else {
            return oddities.append("marked dead: \(address) of \(output), which was not published")
        }
        marked.insert(recipient)
    }
}

/// The limits for judging a run. They come from its profile.
package struct Limits: Sendable {
    package var workers = 3
    package var maximumInFlight = 2_000
    package var mostRecipients = 300
    package var memoryMegabytes = 400
    /// Whether workers send jobs with the same id only once.
    package var deduplicates = true
    /// The longest retry delay, in milliseconds. A push expires as soon as its next attempt would be after its
    /// deadline.
    package var longestDelay: Int64 = 4_000

    package init() {}

    package init(_ profile: Profile) {
        workers = profile.workers
        maximumInFlight = profile.maximumInFlight
        mostRecipients = max(profile.mostRecipients, profile.largeJobs.upperBound)
        memoryMegabytes = profile.memoryLimit
        deduplicates = profile.deduplicationWindow > 0
        longestDelay = Int64(profile.retryDelays.max() ?? 0) * 1_000
    }
}

/// An outcome in a result event that the consumer received. Times are in milliseconds since 1970.
package struct OutcomeRecord: Sendable {
    package var recipient: RecipientID
    package var kind: String
    package var reason: String?
    package var worker: String
    package var attempts: Int
    package var isRedelivered: Bool
    /// The id that a worker generated for the job, or `nil` if the job has its own id.
    package var madeUpID: String?
    package var at: Int64
    package var received: Int64
    /// The number of the result event that contained the outcome. An event that arrives twice keeps its number.
    package var event: Int
    /// Whether an event with the same message id arrived before.
    package var isRepeated: Bool

    package init(
        recipient: RecipientID, kind: String, reason: String? = nil, worker: String = "worker-1", attempts: Int = 1,
        isRedelivered: Bool = false, madeUpID: String? = nil, at: Int64 = 0, received: Int64 = 0, event: Int,
        isRepeated: Bool = false
    ) {
        self.recipient = recipient
        self.kind = kind
        self.reason = reason
        self.worker = worker
        self.attempts = attempts
        self.isRedelivered = isRedelivered
        self.madeUpID = madeUpID
        self.at = at
        self.received = received
        self.event = event
        self.isRepeated = isRepeated
    }
}

/// A change in the state of a request, as the service saw it.
package struct SightingRecord: Sendable {
    package enum What: Sendable, Hashable {
        case arrived, disowned
        /// The service answered the request with this HTTP status.
        case answered(Int)
        case unanswered

        var isAcceptance: Bool { if case .answered(200..<300) = self { true } else { false } }

        /// Whether the service refused the request temporarily, so that it may be sent again.
        var isForNow: Bool {
            switch self {
            case .answered(429), .answered(500...): true
            default: false
            }
        }

        /// Whether the service examined the request and refused it permanently.
        var isForGood: Bool {
            switch self {
            case .answered(429), .answered(408): false
            case .answered(let status): 400..<500 ~= status
            default: false
            }
        }
    }

    package var recipient: RecipientID
    package var what: What
    package var at: Int64

    package init(recipient: RecipientID, what: What, at: Int64 = 0) {
        self.recipient = recipient
        self.what = what
        self.at = at
    }
}
