/// All that was seen of a run, as a value: what it is judged by. Times are milliseconds since 1970.
package struct TortureRecord: Sendable {
    package var limits = Limits()
    package var jobs: [Int: JobRecord] = [:]
    package var outcomes: [OutcomeRecord] = []
    package var sightings: [SightingRecord] = []
    package var faults: [FaultRecord] = []
    /// Whose device tokens are marked dead in the database.
    package var marked: Set<RecipientID> = []
    /// Messages in the broker's queues after all workers have ended; those at a worker have come back by then.
    package var waiting: [String: Int] = [:]
    /// What is in the dead-letter queue.
    package var dead: [DeadRecord] = []
    package var rejections: [RejectionRecord] = []
    /// What workers put among the suspects.
    package var suspects: [SuspectRecord] = []
    package var joins: [JoinRecord] = []
    /// What workers said of channels that the broker closed because a delivery was not acknowledged in time.
    package var timeouts: [String] = []
    /// Bytes of the largest event's body.
    package var largestEvent = 0
    package var memory: [MemorySample] = []
    package var workerEnds: [WorkerEnd] = []
    /// What the harness could not make sense of.
    package var oddities: [String] = []
    /// True: everything was settled in time.
    package var isSettled = true

    package init() {}

    /// Notes that an address is marked dead.
    package mutating func mark(_ address: String, of output: String) {
        guard let recipient = RecipientID(address: address), jobs[recipient.job]?.output.rawValue == output else {
            return oddities.append("marked dead: \(address) of \(output), which was not published")
        }
        marked.insert(recipient)
    }
}

/// What a run may take, from its profile.
package struct Limits: Sendable {
    package var workers = 3
    package var maximumInFlight = 2_000
    package var mostRecipients = 300
    package var memoryMegabytes = 400
    /// Jobs of the same id are sent once.
    package var deduplicates = true
    /// Milliseconds: a push that would be tried again only after its deadline has expired when that is clear.
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

/// An outcome as a consumer got it.
package struct OutcomeRecord: Sendable {
    package var recipient: RecipientID
    package var kind: String
    package var reason: String?
    package var worker: String
    package var attempts: Int
    package var isRedelivered: Bool
    /// The id that a worker has made up for its job.
    package var madeUpID: String?
    package var at: Int64
    package var received: Int64
    /// Which event it came in; one that came twice has the same number.
    package var event: Int
    /// The event had come before, under the same message id.
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

/// What a service saw of a request.
package struct SightingRecord: Sendable {
    package enum What: Sendable, Hashable {
        case arrived, disowned
        /// With this status of HTTP.
        case answered(Int)
        case unanswered

        var isAcceptance: Bool { if case .answered(200..<300) = self { true } else { false } }

        /// It may be sent again later.
        var isForNow: Bool {
            switch self {
            case .answered(429), .answered(500...): true
            default: false
            }
        }

        /// It was looked at, and will not be taken.
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
