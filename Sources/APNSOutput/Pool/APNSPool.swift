import HTTP2Session
import Logging
import NIOCore
import PushModel
import Threading

/// All connections of one credential to one environment, and the pushes that wait for them.
///
/// Everything happens on one event loop, in turns: answers and new jobs only mark that there is something to
/// do, and one turn then fills the connections, writes once, and reports all outcomes in one batch.
// why: unchecked for that reason; the only part touched from other threads is the mailbox.
final class APNSPool: @unchecked Sendable {
    private let eventLoop: any EventLoop
    let tokens: ProviderTokenSource?
    let clock: @Sendable () -> Timestamp
    let logger: Logger
    private let mailbox = Mutex<[PreparedJob]>([])

    var queue = SendQueue()
    let connections: PoolConnections
    private var outcomes: [Outcome] = []
    private var sink: (any OutcomeSink)?
    private var path = DevicePath()
    private var broadcastPath = BroadcastPath()
    private var turnIsScheduled = false
    private var laterTurnIsScheduled = false
    var cachedTurnTime: Moment?
    private var ticker: RepeatedTask?
    var isRetired = false
    private var isStopped = false
    private let urgentStreams: Int
    let silenceMilliseconds: Int64
    /// Retired long enough ago: nothing more is sent.
    var handsBack = false
    let subject: APNSRefusal.Subject
    let refusals: @Sendable (APNSRefusal.Event) -> Void
    /// Of the credential as a whole.
    var breaker: Breaker
    /// What the breakers of topics begin as.
    let closedBreaker: Breaker
    /// Of a host that does not answer.
    var host = Breaker(shortestMilliseconds: 5_000, longestMilliseconds: 60_000)
    var topics: [String: TopicHealth] = [:]
    /// Those that were pushed to; only registered ones get here.
    var apps: [String: AppTokens] = [:]
    /// Uptime of the last answer, or of the beginning of the wait for it.
    var lastProgress: Int64 = 0
    private var whenClosed: [EventLoopPromise<Void>] = []

    init(
        credential: Credential, environment: PushEnvironment, endpoint: APNSConfiguration.Endpoint,
        tokens: ProviderTokenSource?, eventLoop: any EventLoop, configuration: APNSConfiguration,
        clock: @escaping @Sendable () -> Timestamp, refusals: @escaping @Sendable (APNSRefusal.Event) -> Void,
        logger: Logger
    ) throws {
        self.eventLoop = eventLoop
        self.tokens = tokens
        self.clock = clock
        self.refusals = refusals
        urgentStreams = configuration.urgentStreams
        silenceMilliseconds = configuration.silenceMilliseconds
        closedBreaker = Breaker(shortestMilliseconds: configuration.breakMilliseconds)
        breaker = closedBreaker
        subject = APNSRefusal.Subject(credential: credential.id, environment: environment, topic: nil)
        var logger = logger
        logger[metadataKey: "credential"] = "\(credential.id)"
        logger[metadataKey: "team"] = "\(credential.team)"
        logger[metadataKey: "environment"] = "\(environment.rawValue)"
        self.logger = logger
        let connector = try APNSConnector(credential: credential, endpoint: endpoint, configuration: configuration)
        connections = PoolConnections(
            eventLoop: eventLoop, connector: connector, tokens: tokens, configuration: configuration, logger: logger)
        tokens?.addObserver(ObjectIdentifier(self)) { [weak self] in self?.tokenChanged() }
    }

    // MARK: From any thread

    func send(_ job: PreparedJob) {
        let wasEmpty = mailbox.withLock { jobs in
            jobs.append(job)
            return jobs.count == 1
        }
        if wasEmpty { eventLoop.execute { self.takeJobs() } }
    }

    /// What is not on the wire has failed, and so has what comes back from it.
    func cancel(_ isCancelled: @escaping @Sendable (_ job: String) -> Bool) {
        eventLoop.execute {
            // What was handed in before may still be there.
            if self.mailbox.withLock({ !$0.isEmpty }) { self.takeJobs() }
            let isMeant = { (job: PreparedJob) in isCancelled(job.routed.job.id) }
            for connection in self.connections.all { connection.cancel(isMeant) }
            let now = self.turnTime()
            for push in self.queue.removeAll(where: isMeant) {
                self.settle(push, .failed, reason: Outcome.cancelled, at: now)
            }
        }
    }

    /// What is not on the wire is given back.
    func stopSending() {
        eventLoop.execute {
            self.isStopped = true
            self.scheduleTurn()
        }
    }

    /// Takes no more jobs; closes its connections once their last answers have come.
    ///
    /// - Parameter time: what is still queued then goes back to the pipeline, to be routed anew; nil: it is sent.
    func retire(handingBackAfter time: TimeAmount? = nil) -> EventLoopFuture<Void> {
        let closed = eventLoop.makePromise(of: Void.self)
        eventLoop.execute {
            self.isRetired = true
            self.whenClosed.append(closed)
            self.scheduleTurn()
        }
        if let time { eventLoop.scheduleTask(in: time) { self.handBack() } }
        return closed.futureResult
    }

    private func handBack() {
        handsBack = true
        holdQueued(now: turnTime()) { _ in true }
    }

    private func tokenChanged() {
        eventLoop.execute { self.scheduleTurn() }
    }

    // MARK: Turns

    private func takeJobs() {
        let jobs = mailbox.withLock { jobs in
            defer { jobs = [] }
            return jobs
        }
        let now = turnTime()
        if queue.isEmpty { lastProgress = now.uptime }
        for job in jobs { enter(job, now: now) }
        startTicking()
        scheduleTurn()
    }

    /// Whatever happens to the pool comes here.
    func scheduleTurn() {
        eventLoop.preconditionInEventLoop()
        guard !turnIsScheduled else { return }
        turnIsScheduled = true
        eventLoop.execute { self.turn() }
    }

    private func turn() {
        turnIsScheduled = false
        let now = cachedTurnTime ?? Moment(wall: clock())
        cachedTurnTime = now
        if isStopped { giveBack(now: now) }
        for connection in connections.all {
            connection.noteSignsOfLife(now: now)
            fill(connection, now: now)
        }
        giveUpWithoutToken(now: now)
        resize(now: now)
        if isRetired, queue.isEmpty { finishRetiring() }
        report()
        cachedTurnTime = nil
    }

    private func fill(_ connection: APNSConnection, now: Moment) {
        guard !queue.isEmpty else { return }
        connection.renewToken()
        var room = connection.room
        guard !room.isEmpty else { return }
        let kept = min(urgentStreams, connection.maximumStreams / 10)
        var forAll = connection.maximumStreams - connection.openStreams - kept
        while !room.isEmpty, let push = queue.next(onlyUrgent: kept > 0 && forAll <= 0) {
            switch prepare(push, now: now) {
            case .settled: continue
            case .ready(let path, let body):
                do {
                    try connection.send(push, path: path, body: body, now: now)
                    room.take(bodyBytes: body.count)
                    forAll -= 1
                } catch {
                    logger.notice("APNs connection takes no more requests", metadata: ["error": "\(error)"])
                    queue.putBack(push)
                    connection.retire()
                    room = .none
                }
            }
        }
        connection.flush()
    }

    private func giveBack(now: Moment) {
        while let push = queue.next() { settle(push, .returned, at: now) }
    }

    private enum Preparation {
        case ready(UnsafeRawBufferPointer, HTTP2Body)
        case settled
    }

    /// The last checks before the wire.
    private func prepare(_ push: QueuedPush, now: Moment) -> Preparation {
        let job = push.job.routed.job
        if job.isExpired(at: now.wall) {
            settle(push, .expired, at: now)
            return .settled
        }
        let recipient = job.recipients[push.recipient]
        do throws(APNSRequest.Fault) {
            let body = try push.job.body(for: recipient)
            return .ready(try path(of: recipient, in: job), body)
        } catch {
            settle(push, .rejected, reason: error.reason, at: now)
            return .settled
        }
    }

    /// Valid until the next call.
    private func path(of recipient: Recipient, in job: Job) throws(APNSRequest.Fault) -> UnsafeRawBufferPointer {
        if job.isBroadcast {
            if let path = broadcastPath.write(job.app) { return path }
            throw APNSRequest.Fault(reason: "BadTopic")
        }
        if let path = job.withBytes({ path.write(UnsafeBufferPointer(rebasing: $0[recipient.token])) }) { return path }
        throw APNSRequest.Fault(reason: "BadDeviceToken")
    }

    /// Where no provider token can be had and no connection has one, what is queued goes to the delay queues.
    private func giveUpWithoutToken(now: Moment) {
        guard let tokens, !queue.isEmpty, !connections.all.contains(where: { $0.isOpen && !$0.isWaitingForToken }),
            case .unavailable = tokens.current(now: tokens.now)
        else { return }
        while let push = queue.next() { settle(push, .retry, reason: "NoProviderToken", at: now) }
    }

    func add(_ outcome: consuming Outcome, of job: PreparedJob) {
        if sink !== job.sink {
            report()
            sink = job.sink
        }
        outcomes.append(outcome)
    }

    func report() {
        guard !outcomes.isEmpty, let sink else { return }
        let batch = outcomes
        outcomes = []
        outcomes.reserveCapacity(batch.count)
        sink.report(batch)
    }

    func settle(
        _ push: QueuedPush, _ verdict: Outcome.Verdict, reason: String? = nil, retryAfterSeconds: Int32 = 0,
        at now: Moment
    ) {
        add(
            Outcome(
                job: push.job.routed, recipient: push.recipient, verdict: verdict, reason: reason,
                retryAfterSeconds: retryAfterSeconds, at: now.wall),
            of: push.job)
        scheduleTurn()
    }

    /// The time, read once per turn.
    func turnTime() -> Moment {
        if let cachedTurnTime { return cachedTurnTime }
        let now = Moment(wall: clock())
        cachedTurnTime = now
        scheduleTurn()
        return now
    }

    // MARK: Connections

    private func resize(now: Moment) {
        do {
            let next = try connections.resize(waiting: queue.count, owner: self, now: now)
            if let next { scheduleTurn(inMilliseconds: next) }
        } catch {
            connectFailed(error)
        }
    }

    private func scheduleTurn(inMilliseconds milliseconds: Int64) {
        guard !laterTurnIsScheduled else { return }
        laterTurnIsScheduled = true
        eventLoop.scheduleTask(in: .milliseconds(milliseconds)) {
            self.laterTurnIsScheduled = false
            self.scheduleTurn()
        }
    }

    /// With no other connection to wait for, what is queued goes to the delay queues: a host that is away
    /// must not hold what the pipeline has room for.
    func connectFailed(_ error: any Error) {
        let now = turnTime()
        connections.connectFailed(error, now: now)
        guard connections.areMissing else { return }
        while let push = queue.next() { settle(push, .retry, reason: "ConnectionFailed", at: now) }
    }

    private func startTicking() {
        guard ticker == nil else { return }
        ticker = eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
            self.tick()
        }
    }

    private func tick() {
        let now = turnTime()
        connections.tick(now: now)
        forgetTopics()
        tellOfTokens(now: now)
        giveUpOnSilence(now: now)
        scheduleTurn()
    }

    private func finishRetiring() {
        connections.retire()
        guard connections.all.isEmpty, mailbox.withLock(\.isEmpty) else { return }
        ticker?.cancel()
        ticker = nil
        tokens?.removeObserver(ObjectIdentifier(self))
        tellOfTokens(now: turnTime())
        forgetRefusals()
        for promise in whenClosed { promise.succeed() }
        whenClosed = []
    }
}
