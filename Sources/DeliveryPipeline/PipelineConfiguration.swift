package import AMQPClient
package import Contract
import Foundation
import Metering
package import PushModel

/// The settings of the pipeline.
package struct PipelineConfiguration: Sendable {
    package var limits = PipelineLimits()
    package var names: PipelineNames
    /// Whether workers declare the exchanges and queues, or whether an operator does.
    package var provision = AMQPTopology.Provision.declared
    /// The name of this worker in result events.
    package var worker: String
    /// The prefetch of each lane's queues, in deliveries. For the waiting queues, it is the maximum prefetch.
    package var prefetch: [Lane: Int]
    /// The number of bytes of jobs at which a consuming connection stops reading from the broker.
    package var prefetchBytes = 33_554_432
    /// The minimum size of a large job, in bytes. A large job of a paused or rate-limited app waits in delay queues,
    /// where it takes no memory of a worker.
    var largeJobBytes: Int { prefetchBytes / 64 }
    package var maximumOutcomesPerEvent: Int
    /// The maximum time that an outcome waits for further outcomes to share its result event, in milliseconds.
    package var maximumWaitMilliseconds: Int
    /// The delays of the delay queues for retries, in seconds and in ascending order.
    package let retryDelays: [Int]
    /// The number of recipients in a chunk of an `at_most_once` job. Such a chunk is named after the positions of its
    /// recipients, so every worker must make the same chunks, even after a crash. The number must never change.
    /// Otherwise pushes would be sent twice while workers of two versions run.
    package static let onceChunkSize = 500
    /// The maximum size of a job's headers on the wire, in bytes. A frame holds four times as much, which leaves room
    /// for the headers that the broker and the workers add.
    package static let maximumHeaderBytes = 32_768
    /// The time that a delivery may stay unsettled before the broker requeues it, in milliseconds. It is RabbitMQ's
    /// default. Each consumer also requests it in its arguments, which RabbitMQ obeys from version 4.3 on. A worker
    /// gives up a job before this timeout if the broker refuses its messages (``RefusalBackoff/longestForJobs``).
    package static let acknowledgementTimeoutMilliseconds = 1_800_000
    /// The number of unexplained deliveries after which a job is moved to the suspects, because it may be crashing the
    /// workers. Deliveries that ended with a connection loss that this worker survived are not counted.
    package static let deliveriesUntilSuspect = 5
    /// The time that a token look-up, or the claim of a chunk that is not `at_most_once`, waits for the database, in
    /// milliseconds. After that, the push or chunk is sent without an answer.
    package var databasePatience = 2_000
    /// The time that a job or the mark of a dead token waits in a worker for the database, in milliseconds. After that,
    /// it waits in the broker. The time is far below the broker's `consumer_timeout` (30 minutes by default).
    package var longestWaitMilliseconds = 10_000
    /// The broker user that this worker publishes as, or `nil` if the broker does not validate users. A job that a
    /// worker publishes again carries its original publisher in a header.
    package var brokerUser: String?
    /// The metrics of the pipeline that are not part of ``PipelineCounts``.
    package var meter = PipelineMeter(MetricRegistry(), delays: [], mostApps: 0, reasons: [:])

    /// The tracer, or `nil` if jobs are not traced.
    package var tracer: JobTracer?
    /// The source of unique ids for jobs without an id, for claims, and for messages.
    package var makeID: @Sendable () -> String = { UUID().uuidString.lowercased() }

    /// Returns whether duplicates of a job are detected during ``PipelineLimits/deduplicationWindow``.
    func deduplicates(_ job: Job) -> Bool { limits.deduplicationWindow > 0 && job.hasGivenID }

    /// Returns the chunk size with which a job must be split, or `nil` if it is not fixed yet. A job that is split
    /// again must result in the same chunks.
    func fixedChunkSize(of job: Job, _ inbound: InboundJob) -> Int? {
        job.atMostOnce ? Self.onceChunkSize : inbound.chunkSize
    }

    /// The names of all exchanges.
    package var exchanges: [String] { topology.exchanges.map(\.name) }

    /// The exchanges, queues and bindings that the broker must have.
    package var topology: AMQPTopology {
        var topology = names.topology(delays: retryDelays)
        topology.provision = provision
        return topology
    }

    /// The names of all exchanges except `PipelineNames.dropped`, to which only the broker publishes.
    package var publishedExchanges: [String] { exchanges.filter { $0 != names.dropped } }

    package var retry: RetryPolicy {
        RetryPolicy(delays: retryDelays, maximumAttempts: limits.maximumAttempts, maximumAge: limits.maximumAge)
    }

    /// Returns the maximum prefetch of a queue.
    func prefetch(of queue: JobQueue) -> Int {
        switch queue {
        case .lane(let lane), .returned(let lane), .waiting(let lane, _): prefetch[lane] ?? 100
        case .suspects: 1
        case .dropped: 10
        }
    }

    /// Returns the initial prefetch of a queue.
    func firstPrefetch(of queue: JobQueue) -> Int {
        let most = prefetch(of: queue)
        return queue.isWaiting ? PrefetchControl(most: most).prefetch : most
    }

    package init(
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
