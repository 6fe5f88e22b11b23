import PushModel

/// What a pipeline has done since it started, and what it holds now.
public struct PipelineCounts: Sendable, Hashable {
    /// Outcomes by kind, as in the events; those that there were.
    public package(set) var outcomes: [String: Int] {
        get {
            Dictionary(uniqueKeysWithValues: OutcomeKind.allCases.map { ($0.rawValue, told[$0.place]) })
                .filter { $0.value > 0 }
        }
        set { for kind in OutcomeKind.allCases { told[kind.place] = newValue[kind.rawValue] ?? 0 } }
    }
    /// By the place of their kind: counted for each push, without a name to hash.
    var told = Array(repeating: 0, count: OutcomeKind.allCases.count)
    /// Deliveries of jobs, by the place of their queue.
    var arrivals = Array(repeating: 0, count: JobQueue.all.count)
    /// Of jobs that are open, the oldest arrival of each lane, in milliseconds; 0: there is none.
    var oldest = Array(repeating: Int64(0), count: Lane.allCases.count)
    public package(set) var jobsAccepted = 0
    public package(set) var jobsRejected = 0
    public package(set) var jobsHeld = 0
    /// The jobs among `jobsHeld` whose app was paused.
    public package(set) var jobsPaused = 0
    /// Jobs that were delayed because the database did not answer their claims in time.
    public package(set) var jobsUnclaimed = 0
    /// Split into chunks.
    public package(set) var jobsSplit = 0
    /// Waiting for their time to come.
    public package(set) var jobsScheduled = 0
    /// Not sent, because the same job had been taken on before.
    public package(set) var jobsDuplicate = 0
    /// Moved out of the way of other apps.
    public package(set) var jobsOverflowed = 0
    /// Put into a delay queue until their turn, by their app's rate or their own.
    public package(set) var jobsPaced = 0
    /// Set apart after several deliveries that were not settled.
    public package(set) var jobsSuspected = 0
    /// Redeliveries of jobs that this worker had at work, or had finished, when their connection was lost.
    public package(set) var jobsResumed = 0
    /// Put back unsent: the worker stopped, or their credential was retired.
    public package(set) var pushesPutBack = 0
    /// Put back whole, because the worker stops.
    public package(set) var jobsPutBack = 0
    public package(set) var jobsAcknowledged = 0
    public package(set) var retries = 0
    public package(set) var pushesHeld = 0
    public package(set) var tokensMarked = 0
    /// Pushes looked up before sending, because the filter of dead tokens did not clear them; by the answer.
    public package(set) var lookUpsDead = 0
    public package(set) var lookUpsLive = 0
    /// Not answered in time, so sent.
    public package(set) var lookUpsFailed = 0
    /// Dead tokens in the filter, and what it takes.
    public package(set) var suppressionTokens = 0
    public package(set) var suppressionBytes = 0
    /// Received and not started yet.
    public package(set) var jobsWaiting = 0
    /// Jobs started and not acknowledged.
    public package(set) var jobsOpen = 0
    /// Outcomes not yet safe in the broker or the database.
    public package(set) var obligationsOpen = 0
    /// How long a job has been here that has waited longest for its acknowledgement.
    public package(set) var oldestJobSeconds = 0
    /// Messages that the broker would not take, by exchange.
    public package(set) var messagesRefused: [String: Int] = [:]
    /// The broker's last refusal for each exchange, for example `403 ACCESS_REFUSED`. An exchange is not listed if a
    /// queue refused the message (`basic.nack`).
    package var refusals: [String: String] = [:]
    /// The number of refused messages that wait to be published again, by exchange.
    package var refusedWaiting: [String: Int] = [:]
    /// Events offered to the results exchange once more: whoever had taken one gets it again.
    public package(set) var eventsRepeated = 0
    /// Put into a delay queue, to be told later, or at last into the dead-letter queue.
    public package(set) var eventsHeld = 0
    public package(set) var eventsDead = 0
    /// By the place of their connection in ``JobQueue/connections``, and behind them the one that publishes.
    var connected = Array(repeating: false, count: JobQueue.connections.count + 1)
    public package(set) var isBlocked = false
    package var resultsRouting = ResultsRouting.Counts()
    /// Published, and not confirmed by the broker.
    public package(set) var unconfirmed = 0
    /// How long the oldest of these has been waiting for it.
    public package(set) var unconfirmedSeconds = 0
    /// Dead tokens that are not marked yet.
    public package(set) var marksPending = 0
    /// Whether the database has failed to mark dead tokens in time, so that they wait in the broker.
    public package(set) var isMarkingDelayed = false
    /// By the place of the queue, in thousandths of what the broker hands out.
    var prefetchUsed = Array(repeating: 0, count: JobQueue.all.count)
    /// As `connected`.
    var bytesHeld = Array(repeating: 0, count: JobQueue.connections.count)
    /// A connection has ended so that nobody knows whether the broker has got its last acknowledgements.
    public package(set) var mayLackAcknowledgements = false
    /// Queues of each lane that there are.
    public package(set) var shards = 1
    /// A queue beyond those of the configuration has gone since they were counted.
    public package(set) var lacksShards = false
    public package(set) var isConsuming = false
    public package(set) var isPublishing = false

    public init() {}
}

extension PipelineCounts {
    /// Deliveries by lane, or by what stands in its place.
    package var received: [(queue: String, count: Int)] {
        zip(JobQueue.all, arrivals).map { ($0.label, $1) }
    }

    /// How the connections to the broker are called.
    private static let roles = ["urgent", "normal-bulk", "overflow", "publisher"]

    package var links: [(role: String, isOpen: Bool)] { zip(Self.roles, connected).map { ($0, $1) } }
    package var bytes: [(role: String, held: Int)] { zip(Self.roles, bytesHeld).map { ($0, $1) } }

    /// Thousandths, by lane.
    package var prefetch: [(lane: String, used: Int)] {
        zip(JobQueue.all, prefetchUsed).compactMap { queue, used in
            if case .lane(let lane) = queue { (lane.rawValue, used) } else { nil }
        }
    }

    /// Milliseconds since 1970.
    package var oldestArrivals: [(lane: String, at: Int)] {
        zip(Lane.allCases, oldest).map { ($0.rawValue, Int($1)) }
    }

    /// - Returns: whether it was open before.
    @discardableResult
    mutating func connects(_ queues: [JobQueue], _ isOpen: Bool) -> Bool {
        guard let place = JobQueue.connections.firstIndex(of: queues) else { return false }
        defer { connected[place] = isOpen }
        return connected[place]
    }

    /// - Returns: whether the connection was open before.
    @discardableResult
    mutating func publishes(_ isConnected: Bool, isBlocked: Bool = false) -> Bool {
        defer { connected[JobQueue.connections.count] = isConnected }
        self.isBlocked = isBlocked
        isPublishing = isConnected && !isBlocked
        return connected[JobQueue.connections.count]
    }

    /// That a job is open since then.
    mutating func isOpen(_ job: InboundJob) {
        let (lane, arrival) = (job.lane.place, job.arrivedAt.milliseconds)
        if oldest[lane] == 0 || arrival < oldest[lane] { oldest[lane] = arrival }
    }
}

extension JobQueue {
    /// As metrics call it: one word for all overflow queues.
    fileprivate var label: String {
        switch self {
        case .lane(let lane): lane.rawValue
        case .overflow: "overflow"
        case .suspects: "suspects"
        case .dropped: "dropped"
        }
    }
}
