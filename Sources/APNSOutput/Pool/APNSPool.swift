import HTTP2Session
import Logging
import NIOCore
import PushModel
import Synchronization

/// All connections of one credential to one environment, and the pushes that wait for them.
///
/// Everything happens on one event loop, in turns: answers and new jobs only mark that there is something to
/// do, and one turn then fills the connections, writes once, and reports all outcomes in one batch.
// why: unchecked for that reason; the only part touched from other threads is the mailbox.
final class APNSPool: @unchecked Sendable {
    /// Beyond this a push that servers keep refusing unprocessed waits in a delay queue instead.
    private static let maximumResends = 5

    private let eventLoop: any EventLoop
    private let tokens: ProviderTokenSource?
    private let clock: @Sendable () -> Timestamp
    private let logger: Logger
    private let mailbox = Mutex<[PreparedJob]>([])

    private var queue = SendQueue()
    private let connections: PoolConnections
    private var outcomes: [Outcome] = []
    private var sink: (any OutcomeSink)?
    private var path = DevicePath()
    private var broadcastPath = BroadcastPath()
    private var turnIsScheduled = false
    private var laterTurnIsScheduled = false
    private var cachedTurnTime: Moment?
    private var ticker: RepeatedTask?
    private var isRetired = false
    private var whenClosed: [EventLoopPromise<Void>] = []

    init(
        credential: Credential, environment: PushEnvironment, endpoint: APNSConfiguration.Endpoint,
        tokens: ProviderTokenSource?, eventLoop: any EventLoop, configuration: APNSConfiguration,
        clock: @escaping @Sendable () -> Timestamp, logger: Logger
    ) throws {
        self.eventLoop = eventLoop
        self.tokens = tokens
        self.clock = clock
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

    /// Takes no more jobs; closes its connections once their last answers have come.
    func retire() -> EventLoopFuture<Void> {
        let closed = eventLoop.makePromise(of: Void.self)
        eventLoop.execute {
            self.isRetired = true
            self.whenClosed.append(closed)
            self.scheduleTurn()
        }
        return closed.futureResult
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
        for job in jobs { queue.append(job) }
        startTicking()
        scheduleTurn()
    }

    private func scheduleTurn() {
        guard !turnIsScheduled else { return }
        turnIsScheduled = true
        eventLoop.execute { self.turn() }
    }

    private func turn() {
        turnIsScheduled = false
        let now = cachedTurnTime ?? Moment(wall: clock())
        cachedTurnTime = now
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
        while !room.isEmpty, let push = queue.next() {
            switch prepare(push, now: now) {
            case .settled: continue
            case .ready(let path, let body):
                do {
                    try connection.send(push, path: path, body: body, now: now)
                    room.take(bodyBytes: body.count)
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

    private func add(_ outcome: consuming Outcome, of job: PreparedJob) {
        if sink !== job.sink {
            report()
            sink = job.sink
        }
        outcomes.append(outcome)
    }

    private func report() {
        guard !outcomes.isEmpty, let sink else { return }
        let batch = outcomes
        outcomes = []
        outcomes.reserveCapacity(batch.count)
        sink.report(batch)
    }

    private func settle(
        _ push: QueuedPush, _ verdict: Outcome.Verdict, reason: String? = nil, at now: Moment
    ) {
        add(
            Outcome(job: push.job.routed, recipient: push.recipient, verdict: verdict, reason: reason, at: now.wall),
            of: push.job)
        scheduleTurn()
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
    private func connectFailed(_ error: any Error) {
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
        connections.tick(now: turnTime())
        scheduleTurn()
    }

    private func finishRetiring() {
        connections.retire()
        guard connections.all.isEmpty, mailbox.withLock(\.isEmpty) else { return }
        ticker?.cancel()
        ticker = nil
        tokens?.removeObserver(ObjectIdentifier(self))
        for promise in whenClosed { promise.succeed() }
        whenClosed = []
    }
}

extension APNSPool: APNSConnectionOwner {
    /// The time, read once per turn.
    private func turnTime() -> Moment {
        if let cachedTurnTime { return cachedTurnTime }
        let now = Moment(wall: clock())
        cachedTurnTime = now
        scheduleTurn()
        return now
    }

    func answered(_ push: InFlightPush, on connection: APNSConnection) {
        let now = turnTime()
        connections.answered(after: now.uptime - push.sentAt)
        if push.status == 200 {
            connections.proved(connection)
            add(
                Outcome(
                    job: push.push.job.routed, recipient: push.push.recipient, verdict: .sent, status: 200,
                    judge: .provider, providerID: push.providerID, uniqueID: push.uniqueID,
                    trimmedBytes: push.push.job.trimmedBytes(for: push.push.recipient), at: now.wall),
                of: push.push.job)
        } else {
            refused(push, on: connection, at: now)
        }
    }

    private func refused(_ push: InFlightPush, on connection: APNSConnection, at now: Moment) {
        let body = APNSErrorBody(push.body)
        let verdict: Outcome.Verdict
        let answerClass = APNSReason.classify(status: push.status, reason: body.reason)
        if body.reason == "ExpiredProviderToken" { connection.tokenExpired() }
        if answerClass != .retryOnNewConnection, answerClass != .retryLaterOnNewConnection {
            connections.proved(connection)
        }
        switch answerClass {
        // A channel is in no registry of tokens.
        case .tokenDead: verdict = push.push.job.routed.job.isBroadcast ? .rejected : .unregistered
        case .refused: verdict = .rejected
        case .credentialRefused: verdict = .failed
        case .retryLater: verdict = .retry
        case .retryOnNewConnection:
            connections.mustGo(connection, at: now)
            connection.retire()
            if push.push.resends == 0 { return unprocessed(push.push) }
            verdict = .retry
        case .retryLaterOnNewConnection:
            connections.mustGo(connection, at: now)
            connection.retire()
            verdict = .retry
        }
        add(
            Outcome(
                job: push.push.job.routed, recipient: push.push.recipient, verdict: verdict, status: push.status,
                reason: body.reason ?? "Status\(push.status)", judge: .provider, providerID: push.providerID,
                unregisteredAt: verdict == .unregistered ? body.timestamp ?? now.wall : nil, at: now.wall),
            of: push.push.job)
    }

    func unprocessed(_ push: QueuedPush) {
        guard push.resends < Self.maximumResends else {
            return settle(push, .retry, reason: "StreamRefused", at: turnTime())
        }
        queue.putBack(QueuedPush(job: push.job, recipient: push.recipient, resends: push.resends + 1))
        scheduleTurn()
    }

    func lost(_ push: QueuedPush, reason: String) {
        settle(push, .unknown, reason: reason, at: turnTime())
    }

    func goAway(_ connection: APNSConnection, reason: String?) {
        connections.mustGo(connection, at: turnTime())
    }

    func changed(_ connection: APNSConnection) {
        scheduleTurn()
    }

    func closed(_ connection: APNSConnection, error: (any Error)?, whileConnecting: Bool) {
        connections.remove(connection, at: turnTime())
        if whileConnecting {
            connectFailed(error ?? ChannelError.eof)
        } else if let error {
            logger.warning("APNs connection lost", metadata: ["error": "\(error)"])
        }
        scheduleTurn()
    }
}
