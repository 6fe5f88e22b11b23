public import AMQPClient
import Metering
public import PushModel

/// How much the pipeline holds, and for how long.
public struct PipelineConfiguration: Sendable {
    public var limits = PipelineLimits()
    public var names: PipelineNames
    /// Who makes the exchanges and queues.
    public var provision = AMQPTopology.Provision.declared
    /// Name of this worker in events.
    public var worker: String
    /// Jobs the broker hands out per lane ahead of their acknowledgement; as many of its overflow, at most.
    public var prefetch: [Lane: Int]
    /// Bytes of jobs that each connection to the broker's queues may hold, however few they are.
    public var prefetchBytes = 33_554_432
    public var maximumOutcomesPerEvent: Int
    /// How long an outcome waits for others to share its event.
    public var maximumWaitMilliseconds: Int
    /// There is a delay queue for each, in seconds, rising.
    public let retryDelays: [Int]
    /// Recipients of a chunk of a job that is sent at most once. The chunks of such a job are known by the places of
    /// their recipients, so whoever splits it, and splits it again after a crash, must make the same ones. No setting
    /// changes it, and no version may: while workers of both run, pushes would be sent twice.
    package static let onceChunkSize = 500
    /// Most bytes of a job's headers, on the wire. A frame holds four times as much, so there is room for what the
    /// broker and the workers write on a job.
    package static let maximumHeaderBytes = 32_768
    /// The time that a delivery may stay open before the broker requeues it: RabbitMQ's default. Since RabbitMQ 4.3
    /// each consumer requests it. A worker keeps a job for at most 25 minutes (``RefusalLadder/longestForJobs``).
    package static let acknowledgementTimeoutMilliseconds = 1_800_000
    /// After so many deliveries that were not settled a job is moved to the suspects: it may have ended the workers.
    package static let deliveriesUntilSuspect = 5
    /// How long a job or a push waits for the database, in milliseconds, before it goes on without, where it may.
    package var databasePatience = 2_000
    /// How long a job, or what was found out of a dead token, waits in a worker for the database, in milliseconds,
    /// before it waits in the broker: far below the broker's own patience with what is not acknowledged
    /// (`consumer_timeout`, 30 minutes unless set).
    package var longestWaitMilliseconds = 10_000
    /// The broker's user this worker publishes as, which the broker validates. Jobs that come back from a
    /// delay queue under it keep their publisher in a header.
    public var brokerUser: String?
    /// Where the pipeline counts beside its ``PipelineCounts``.
    package var meter = PipelineMeter(MetricRegistry(), delays: [], mostApps: 0, reasons: [:])

    /// nil: no job is traced.
    package var tracer: JobTracer?

    /// Jobs of the same name are one job, which is sent once, however often it was published.
    func deduplicates(_ job: Job) -> Bool { limits.deduplicationWindow > 0 && job.hasGivenID }

    /// nil: it is not fixed yet. Whoever splits a job, and splits it again, must make the same chunks.
    func fixedChunkSize(of job: Job, _ inbound: InboundJob) -> Int? {
        job.atMostOnce ? Self.onceChunkSize : inbound.chunkSize
    }

    /// Those that a worker publishes to.
    package var exchanges: [String] { topology.exchanges.map(\.name) }

    /// All that must be in the broker.
    public var topology: AMQPTopology {
        var topology = names.topology(delays: retryDelays)
        topology.provision = provision
        return topology
    }

    /// Those of ``exchanges`` that a worker publishes to; ``PipelineNames/dropped`` gets messages from the broker alone.
    package var publishedExchanges: [String] { exchanges.filter { $0 != names.dropped } }

    public var retry: RetryPolicy {
        RetryPolicy(delays: retryDelays, maximumAttempts: limits.maximumAttempts, maximumAge: limits.maximumAge)
    }

    /// The most there may be.
    func prefetch(of queue: JobQueue) -> Int {
        switch queue {
        case .lane(let lane), .overflow(let lane): prefetch[lane] ?? 100
        case .suspects: 1
        case .dropped: 10
        }
    }

    /// Of each of the queues that a lane is spread over.
    func prefetch(of lane: JobQueue, shards: Int) -> UInt16 { UInt16(clamping: max(1, prefetch(of: lane) / shards)) }

    /// What each connection begins with.
    func firstPrefetch(of queue: JobQueue) -> Int {
        let most = prefetch(of: queue)
        return queue.isOverflow ? PrefetchControl(most: most).prefetch : most
    }

    public init(
        names: PipelineNames = PipelineNames(), worker: String,
        prefetch: [Lane: Int] = [.urgent: 1000, .normal: 4000, .bulk: 100], maximumInFlight: Int = 20_000,
        maximumOutcomesPerEvent: Int = 500, maximumWaitMilliseconds: Int = 10, retry: RetryPolicy = RetryPolicy()
    ) {
        self.names = names
        self.worker = worker
        self.prefetch = prefetch
        limits.maximumInFlight = maximumInFlight
        (limits.maximumAttempts, limits.maximumAge) = (retry.maximumAttempts, retry.maximumAge)
        retryDelays = retry.delays
        self.maximumOutcomesPerEvent = maximumOutcomesPerEvent
        self.maximumWaitMilliseconds = maximumWaitMilliseconds
    }
}
