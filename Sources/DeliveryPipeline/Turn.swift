import Foundations
import AMQPClient
import Logging
import PushModel
import Store
import Traces
import Routing

/// The context of one turn: the current time, the shared state of the pipeline's parts, and the effects that are
/// carried out at the end of the turn.
struct Turn {
    let logger: Logger
    private(set) var now: Timestamp
    private let snapshots: @Sendable () -> Snapshot
    private let workers: @Sendable () -> Int?
    /// The snapshot of this turn, or `nil` until it is requested.
    private var known: Snapshot?
    /// The rate limits of this turn, or `nil` until they are requested.
    private var knownRateLimits: RateLimits?
    var counts = PipelineCounts()
    var outbox: Outbox
    var jobLog: JobLog
    /// The tracer, or `nil` if jobs are not traced.
    let tracer: JobTracer?
    /// The orphans: unfinished or finished jobs whose messages the broker redelivers after a lost connection.
    var orphans = Orphans()

    // MARK: Effects at the end of the turn, in addition to the outbox

    /// The jobs without pending settlements, which can be acknowledged.
    private(set) var done: [OpenJob] = []
    /// The deliveries whose bytes are released before or without a settlement, for example because the broker
    /// redelivers them.
    private(set) var lost: [AMQPDelivery] = []
    /// The capacity to release for apps and queues.
    private(set) var released: [Scheduler.Released] = []
    /// The jobs to pass to outputs.
    private(set) var sends: [(job: RoutedJob, output: any Output)] = []
    private(set) var priority = ConsumerPriority()
    /// The new priority of this worker's consumers, or `nil` if it does not change.
    private var newPriority: Int32?
    /// The timers to start.
    private(set) var timers: [(timer: PipelineTimer, milliseconds: Int)] = []
    /// The spans of finished traces.
    var spans: [Span] = []

    init(
        _ outbox: Outbox, jobLog: JobLog = .none, tracer: JobTracer? = nil, logger: Logger, now: Timestamp,
        snapshots: @escaping @Sendable () -> Snapshot, workers: @escaping @Sendable () -> Int?
    ) {
        self.logger = logger
        self.outbox = outbox
        self.jobLog = jobLog
        self.tracer = tracer
        self.now = now
        (self.snapshots, self.workers) = (snapshots, workers)
    }

    mutating func begin(_ now: Timestamp) {
        self.now = now
        outbox.now = now
    }

    /// Ends the turn, and drops the snapshot, so that secrets are not kept in memory longer than necessary.
    mutating func end() { (known, knownRateLimits) = (nil, nil) }

    /// Returns the snapshot of this turn. All calls in one turn return the same snapshot.
    mutating func snapshot() -> Snapshot {
        if let known { return known }
        let current = snapshots()
        known = current
        return current
    }

    /// Returns the rate limits of this turn. All calls in one turn return the same rate limits.
    mutating func rateLimits() -> RateLimits {
        if let knownRateLimits { return knownRateLimits }
        let rateLimits = RateLimits(limits: snapshot().rateLimits, workers: workers())
        knownRateLimits = rateLimits
        return rateLimits
    }

    mutating func wait(_ timer: PipelineTimer, _ milliseconds: Int) { timers.append((timer, milliseconds)) }

    /// Makes the broker prefer other workers for a time, because this one could not connect to send a push.
    mutating func cannotConnect(_ outcome: Outcome) {
        let queue = outbox.ledger.delivery(of: outcome.job.ledgerID)?.inbound.queue
        guard let milliseconds = priority.cannotConnect(outcome, from: queue, now: now) else { return }
        logger.notice(
            .priorityLowered, "Cannot connect to a provider; the broker prefers other workers",
            metadata: ["output": "\(outcome.job.job.output)"])
        newPriority = ConsumerPriority.low
        wait(.priority, milliseconds)
    }

    mutating func accepted(_ outcome: Outcome) { if priority.accepted(outcome, now: now) { newPriority = 0 } }

    mutating func checkPriority() {
        if let milliseconds = priority.check(now: now) { wait(.priority, milliseconds) } else { newPriority = 0 }
    }

    mutating func send(_ job: RoutedJob, to output: any Output) { sends.append((job, output)) }

    // MARK: Jobs

    @discardableResult
    mutating func open<Open: OpenJob>(_ job: Open) -> Open {
        job.entry = outbox.ledger.open(job, obligations: 1)
        return job
    }

    mutating func open(_ inbound: InboundJob) -> OpenJob { open(OpenJob(inbound)) }

    /// Completes the settlements of a message that was confirmed, or that will not be published again.
    mutating func met(_ id: UInt64) { done += outbox.met(id) }

    /// Completes settlements that need no message.
    mutating func met(_ share: Outbox.Share) { if let job = outbox.ledger.met(share) { done.append(job) } }

    /// Drops the remaining settlements of a job that the broker redelivers.
    mutating func lose(_ job: OpenJob) {
        _ = outbox.ledger.met(outbox.ledger.rest(of: job.entry))
        lost(job)
    }

    /// Drops a job that the broker redelivers.
    mutating func lost(_ job: OpenJob) {
        orphans.remove(job)
        release(job)
        endTrace(of: job, error: "connection_lost")
        lost(job.inbound)
    }

    mutating func lost(_ inbound: InboundJob) { lost.append(inbound.delivery) }

    /// Releases the capacity that a job takes in its app and its queue.
    mutating func release(_ job: OpenJob) {
        guard let load = job.load else { return }
        job.load = nil
        released.append(.init(load: load, isSent: job.isSent))
    }

    /// Publishes a job in its original form to another queue of the workers.
    mutating func move(_ job: OpenJob, to destination: OutboundMessages.Destination, firstAttempt: Timestamp? = nil) {
        release(job)
        outbox.move(job, to: destination, firstAttempt: firstAttempt)
    }

    /// Publishes a waiting job in its original form to another queue of the workers, and counts why it must wait.
    mutating func putOff(_ waiting: WaitingJob, to destination: OutboundMessages.Destination) {
        let (app, isPaced) = (waiting.appLoad, waiting.appLoad.isPaced(in: waiting.inbound.queue))
        if app.isPaused {
            warn(of: .paused(app.app), app: app.app)
            counts.jobsHeld += 1
            counts.jobsPaused += 1
        } else if isPaced {
            counts.jobsPaced += 1
        } else {
            counts.jobsMoved += 1
        }
        outbox.putOff(
            open(MovedJob(waiting)), to: destination,
            waitingSince: isPaced ? waiting.inbound.waitingSince ?? now : nil)
    }

    /// Withdraws a refused message that would have moved a waiting job.
    ///
    /// - Returns: the job and the exchange that refused the message. The result is `nil` if the message is not such a
    ///   move, if the broker may already have the message, or if the broker redelivers the job.
    mutating func takeBack(_ id: UInt64) -> (waiting: WaitingJob, exchange: String)? {
        // If the broker may have the message, it is published again as a repetition, and its job stays open.
        guard let message = outbox[id], message.isMove, !message.publication.isRepeated, !outbox.isOrphan(id),
            let share = outbox.ledger.shares(of: id).first,
            let job = outbox.ledger.delivery(of: share.entry) as? MovedJob, job.inbound.source == job.inbound.queue
        else { return nil }
        outbox.withdraw(id)
        _ = outbox.ledger.met(group: id)
        var waiting = job.waiting
        // The broker may have redelivered the job in the meantime, with a new tag.
        waiting.inbound = job.inbound
        return (waiting, message.publication.exchange)
    }

    /// Requeues a job because the worker stops.
    mutating func requeue(_ job: OpenJob) {
        counts.jobsRequeued += 1
        release(job)
        outbox.putOff(job, to: job.inbound.home, waitingSince: job.inbound.waitingSince)
    }

    /// Publishes a job in its original form to the dead-letter exchange, and a result event with the reason.
    mutating func reject(_ job: OpenJob, _ rejection: JobRejection) {
        release(job)
        counts.jobsRejected += 1
        traceRejected(job, id: rejection.jobID)
        logger.warning(
            .jobRejected, "A job was rejected",
            metadata: outbox.metadata(of: rejection, job, reason: rejection.logged))
        outbox.putAmongTheDead(job, rejection)
        outbox.tell(rejection, of: job, now: now)
    }

    // MARK: Logging

    func warn(of failure: RoutingFailure, app: String) {
        logger.warning(.jobsUnsendable, "Jobs cannot be sent", metadata: ["app": "\(app)", "reason": "\(failure)"])
    }

    // MARK: End of the turn

    mutating func takeDone() -> [OpenJob] { Self.take(&done) }
    mutating func takeLost() -> [AMQPDelivery] { Self.take(&lost) }
    mutating func takeReleased() -> [Scheduler.Released] { Self.take(&released) }
    mutating func takeSends() -> [(job: RoutedJob, output: any Output)] { Self.take(&sends) }
    mutating func takePriority() -> Int32? {
        defer { newPriority = nil }
        return newPriority
    }

    mutating func takeTimers() -> [(timer: PipelineTimer, milliseconds: Int)] { Self.take(&timers) }

    private static func take<Item>(_ items: inout [Item]) -> [Item] {
        // The list is usually empty, so the guard avoids a write.
        guard !items.isEmpty else { return [] }
        defer { items = [] }
        return items
    }
}
