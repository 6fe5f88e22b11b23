import EventNames
import AMQPClient
import Logging
import PushModel
import Store
import Traces

/// What the pipeline's values work with, a turn at a time: when it is, the books that they all keep, and what is to happen
/// outside, which leaves with the end of the turn.
struct Turn {
    let logger: Logger
    private(set) var now: Timestamp
    private let snapshots: @Sendable () -> Snapshot
    private let workers: @Sendable () -> Int?
    /// Looked at in this turn.
    private var known: Snapshot?
    private var knownPacing: Pacing?
    var counts = PipelineCounts()
    var outbox: Outbox
    var jobLog: JobLog
    /// nil: no job is traced.
    let tracer: JobTracer?
    /// The jobs, at work or finished, whose messages the broker redelivers.
    var orphans = Orphans()

    // MARK: What leaves at its end, beside the outbox

    /// All that became of them is safe.
    private(set) var done: [OpenJob] = []
    /// Held no longer; the broker delivers them again.
    private(set) var lost: [AMQPDelivery] = []
    /// What counts no longer for its app and its queue.
    private(set) var released: [Scheduler.Released] = []
    private(set) var sends: [(job: RoutedJob, output: any Output)] = []
    private(set) var timers: [(timer: PipelineTimer, milliseconds: Int)] = []
    /// Of traces that are over.
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

    /// Secrets are not kept alive for longer.
    mutating func end() { (known, knownPacing) = (nil, nil) }

    /// The same for all of a turn.
    mutating func snapshot() -> Snapshot {
        if let known { return known }
        let current = snapshots()
        known = current
        return current
    }

    /// The same for all of a turn.
    mutating func pacing() -> Pacing {
        if let knownPacing { return knownPacing }
        let pacing = Pacing(paces: snapshot().paces, workers: workers())
        knownPacing = pacing
        return pacing
    }

    mutating func wait(_ timer: PipelineTimer, _ milliseconds: Int) { timers.append((timer, milliseconds)) }

    mutating func send(_ job: RoutedJob, to output: any Output) { sends.append((job, output)) }

    // MARK: Jobs

    @discardableResult
    mutating func open<Open: OpenJob>(_ job: Open) -> Open {
        job.entry = outbox.ledger.open(job, obligations: 1)
        return job
    }

    mutating func open(_ inbound: InboundJob) -> OpenJob { open(OpenJob(inbound)) }

    /// The message has its confirm, or is not to be published any more.
    mutating func met(_ id: UInt64) { done += outbox.met(id) }

    /// Obligations that need no message.
    mutating func met(_ share: Outbox.Share) { if let job = outbox.ledger.met(share) { done.append(job) } }

    /// The broker delivers it again: what is left to meet of it is dropped.
    mutating func lose(_ job: OpenJob) {
        _ = outbox.ledger.met(outbox.ledger.rest(of: job.entry))
        lost(job)
    }

    mutating func lost(_ job: OpenJob) {
        orphans.remove(job)
        release(job)
        endTrace(of: job, error: "connection_lost")
        lost(job.inbound)
    }

    mutating func lost(_ inbound: InboundJob) { lost.append(inbound.delivery) }

    /// It counts no more for its app and its queue.
    mutating func release(_ job: OpenJob) {
        guard let load = job.load else { return }
        job.load = nil
        released.append(.init(load: load, isSent: job.isSent))
    }

    /// Publishes a job as it came to another of the workers' queues.
    mutating func move(_ job: OpenJob, to destination: OutboundMessages.Destination, firstAttempt: Timestamp? = nil) {
        release(job)
        outbox.move(job, to: destination, firstAttempt: firstAttempt)
    }

    /// Of a message that the broker has not taken: the job that was to wait elsewhere, which is in no book any more, and where it was to go.
    /// - Returns: nil if it is another message, or its job is delivered again.
    mutating func takeBack(_ id: UInt64) -> (waiting: WaitingJob, exchange: String)? {
        // A message that the broker may have is published again with a mark, and its job stays open.
        guard let message = outbox[id], message.isMove, !message.publication.isRepeated, !outbox.isOrphan(id),
            let share = outbox.ledger.shares(of: id).first,
            let job = outbox.ledger.delivery(of: share.entry) as? MovedJob, job.inbound.source == job.inbound.queue
        else { return nil }
        outbox.withdraw(id)
        _ = outbox.ledger.met(group: id)
        var waiting = job.waiting
        // The broker may have redelivered the message since.
        waiting.inbound = job.inbound
        return (waiting, message.publication.exchange)
    }

    /// This worker stops.
    mutating func putBack(_ job: OpenJob) {
        counts.jobsPutBack += 1
        move(job, to: job.inbound.home)
    }

    /// The message goes to the dead-letter exchange as it came, and an event says why.
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

    // MARK: The log

    func warn(of failure: RoutingFailure, app: String) {
        logger.warning(.jobsUnsendable, "Jobs can't be sent", metadata: ["app": "\(app)", "reason": "\(failure)"])
    }

    // MARK: The end

    mutating func takeDone() -> [OpenJob] { Self.take(&done) }
    mutating func takeLost() -> [AMQPDelivery] { Self.take(&lost) }
    mutating func takeReleased() -> [Scheduler.Released] { Self.take(&released) }
    mutating func takeSends() -> [(job: RoutedJob, output: any Output)] { Self.take(&sends) }
    mutating func takeTimers() -> [(timer: PipelineTimer, milliseconds: Int)] { Self.take(&timers) }

    /// Mostly nothing.
    private static func take<Item>(_ items: inout [Item]) -> [Item] {
        guard !items.isEmpty else { return [] }
        defer { items = [] }
        return items
    }
}
