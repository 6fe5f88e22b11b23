package import Contract
package import PushModel

/// The counters of a pipeline since its start, and its current state.
package struct PipelineCounts: Sendable, Hashable {
    /// The number of outcomes of each kind, by the kind's name in result events. Kinds without outcomes are omitted.
    package var outcomes: [String: Int] {
        get {
            Dictionary(uniqueKeysWithValues: OutcomeKind.allCases.map { ($0.rawValue, outcomesByKind[$0.place]) })
                .filter { $0.value > 0 }
        }
        set { for kind in OutcomeKind.allCases { outcomesByKind[kind.place] = newValue[kind.rawValue] ?? 0 } }
    }
    /// The number of outcomes of each kind, by the kind's index. An array is used because a dictionary would hash a
    /// name for each push.
    var outcomesByKind = Array(repeating: 0, count: OutcomeKind.allCases.count)
    /// The number of deliveries of each queue, by the queue's index.
    var arrivals = Array(repeating: 0, count: JobQueue.all.count)
    /// The arrival of the oldest unacknowledged job in each lane, in milliseconds since 1970, or 0 if there is none.
    /// Unstarted jobs of apps that must wait are excluded.
    var oldest = Array(repeating: Int64(0), count: Lane.allCases.count)
    package var jobsAccepted = 0
    package var jobsRejected = 0
    /// The number of times that a job was delayed because its app was paused or its credential could not be used.
    package var jobsHeld = 0
    /// The part of ``jobsHeld`` that was caused by paused apps.
    package var jobsPaused = 0
    /// The number of times that a job was delayed because the database did not answer its claim in time.
    package var jobsUnclaimed = 0
    /// The number of jobs that were split into chunks.
    package var jobsSplit = 0
    /// The number of times that a job was delayed because of its `send_at`.
    package var jobsScheduled = 0
    /// The number of jobs that were dropped as duplicates.
    package var jobsDuplicate = 0
    /// The number of times that a waiting job was moved to another queue, for example because its app exceeds its
    /// share. Moves because of a pause or a rate limit are excluded.
    package var jobsMoved = 0
    /// The number of times that a job was delayed because of the rate limit of its app or of the job itself.
    package var jobsPaced = 0
    /// The number of jobs that were moved to the suspects after several unsettled deliveries.
    package var jobsSuspected = 0
    /// The number of redeliveries after a lost connection whose job this worker was still processing or had already
    /// finished.
    package var jobsResumed = 0
    /// The number of pushes that were requeued unsent, because the worker stopped or could not connect, or because
    /// their credential was retired.
    package var pushesRequeued = 0
    /// The number of jobs that were requeued as a whole because the worker stops.
    package var jobsRequeued = 0
    package var jobsAcknowledged = 0
    package var retries = 0
    package var pushesHeld = 0
    /// The time until which the last held push may wait in a delay queue.
    package var heldUntil = Timestamp(seconds: 0)
    package var tokensMarked = 0
    /// The number of pushes whose token matched the filter of dead tokens and was found dead by a look-up.
    package var lookUpsDead = 0
    /// The number of pushes whose token matched the filter of dead tokens and was found alive by a look-up.
    package var lookUpsLive = 0
    /// The number of pushes that were sent without the answer to a look-up, because a look-up failed or timed out.
    package var lookUpsFailed = 0
    /// The number of dead tokens in the filter of dead tokens.
    package var suppressionTokens = 0
    /// The size of the filter of dead tokens, in bytes.
    package var suppressionBytes = 0
    /// The number of jobs that were received and not yet started, except for jobs of paused apps.
    package var jobsWaiting = 0
    /// The number of jobs that were started and not yet acknowledged.
    package var jobsOpen = 0
    /// The number of pending settlements of the open jobs, usually one for each recipient.
    package var obligationsOpen = 0
    /// The age of the oldest unacknowledged job, in seconds since its arrival. Unstarted jobs of apps that must wait
    /// are excluded.
    package var oldestJobSeconds = 0
    /// The number of messages that the broker refused, by exchange.
    package var messagesRefused: [String: Int] = [:]
    /// The broker's last refusal of a message for each exchange, for example `403 ACCESS_REFUSED`. An exchange is not
    /// listed if the last refusal came from a queue (`basic.nack`), which states no reason.
    package var refusals: [String: String] = [:]
    /// The number of refused messages that wait to be published again, by exchange.
    package var refusedWaiting: [String: Int] = [:]
    /// The number of result events that were published again. A consumer may have received the first copy.
    package var eventsRepeated = 0
    /// The number of result events that were moved to a delay queue to be published later.
    package var eventsHeld = 0
    /// The number of result events that were moved to the dead-letter queue.
    package var eventsDead = 0
    /// Whether each broker connection is open, by its index in `JobQueue.connections`. The publishing connection comes
    /// last.
    var connected = Array(repeating: false, count: JobQueue.connections.count + 1)
    package var isBlocked = false
    package var resultsRouting = ResultsRouting.Counts()
    /// The number of messages that were published and not yet confirmed by the broker.
    package var unconfirmed = 0
    /// The age of the oldest unconfirmed message that the broker has not refused, in seconds, or 0 if there is none.
    package var unconfirmedSeconds = 0
    /// The number of outcomes and delayed result events that wait for the marks of their dead tokens.
    package var marksPending = 0
    /// Whether the database has failed to mark dead tokens in time, so that the marks wait in the broker.
    package var isMarkingDelayed = false
    /// The used part of each queue's prefetch in thousandths, by the queue's index.
    var prefetchUsed = Array(repeating: 0, count: JobQueue.all.count)
    /// The bytes that each consuming connection holds, by its index in `JobQueue.connections`.
    var bytesHeld = Array(repeating: 0, count: JobQueue.connections.count)
    /// Whether a connection ended in such a way that the broker may have missed the last acknowledgements.
    package var mayLackAcknowledgements = false
    package var isConsuming = false
    package var isPublishing = false

    package init() {}

    mutating func noteHeldJob(at now: Timestamp, seconds: Int) {
        jobsHeld += 1
        noteHold(at: now, seconds: seconds)
    }

    /// Records that pushes wait in a delay queue from now on for the given number of seconds.
    mutating func noteHold(at now: Timestamp, seconds: Int) {
        heldUntil = max(heldUntil, Timestamp(milliseconds: now.milliseconds + Int64(seconds) * 1_000))
    }
}

extension PipelineCounts {
    /// The number of deliveries of each queue, by the queue's label in metrics.
    package var received: [(queue: String, count: Int)] {
        zip(JobQueue.all, arrivals).map { ($0.label, $1) }
    }

    /// The names of the broker connections, in the order of ``connected``.
    private static let roles = ["urgent", "normal-bulk", "urgent-waiting", "waiting", "publisher"]

    package var links: [(role: String, isOpen: Bool)] { zip(Self.roles, connected).map { ($0, $1) } }
    package var bytes: [(role: String, held: Int)] { zip(Self.roles, bytesHeld).map { ($0, $1) } }

    /// The used part of each lane's prefetch, in thousandths.
    package var prefetch: [(lane: String, used: Int)] {
        zip(JobQueue.all, prefetchUsed).compactMap { queue, used in
            if case .lane(let lane) = queue { (lane.rawValue, used) } else { nil }
        }
    }

    /// The arrival of the oldest unacknowledged job in each lane, in milliseconds since 1970, or 0 if there is none.
    /// Unstarted jobs of apps that must wait are excluded.
    package var oldestArrivals: [(lane: String, at: Int)] {
        zip(Lane.allCases, oldest).map { ($0.rawValue, Int($1)) }
    }

    /// Records whether the connection that consumes these queues is open.
    ///
    /// - Returns: whether the connection was open before.
    @discardableResult
    mutating func connects(_ queues: [JobQueue], _ isOpen: Bool) -> Bool {
        guard let place = JobQueue.connections.firstIndex(of: queues) else { return false }
        defer { connected[place] = isOpen }
        return connected[place]
    }

    /// Records whether the publishing connection is open.
    ///
    /// - Returns: whether the connection was open before.
    @discardableResult
    mutating func publishes(_ isConnected: Bool, isBlocked: Bool = false) -> Bool {
        defer { connected[JobQueue.connections.count] = isConnected }
        self.isBlocked = isBlocked
        isPublishing = isConnected && !isBlocked
        return connected[JobQueue.connections.count]
    }

    /// Includes an unacknowledged job in the oldest arrival of its lane.
    mutating func isOpen(_ job: InboundJob) {
        let (lane, arrival) = (job.lane.place, job.arrivedAt.milliseconds)
        if oldest[lane] == 0 || arrival < oldest[lane] { oldest[lane] = arrival }
    }
}

extension JobQueue {
    /// The queue's label in metrics. The waiting queues of all lanes share one label, and so do the queues for returned
    /// jobs.
    fileprivate var label: String {
        switch self {
        case .lane(let lane): lane.rawValue
        case .returned: "returned"
        case .waiting: "waiting"
        case .suspects: "suspects"
        case .dropped: "dropped"
        }
    }
}
