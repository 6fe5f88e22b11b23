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
    private let connector: APNSConnector
    private let tokens: ProviderTokenSource?
    private let configuration: APNSConfiguration
    private let clock: @Sendable () -> Timestamp
    private let logger: Logger
    private let mailbox = Mutex<[PreparedJob]>([])

    private var queue = SendQueue()
    private var connections: [APNSConnection] = []
    private var sizing: PoolSizing
    private var backoff = ConnectBackoff()
    private var connectNotBefore: Int64 = 0
    private var answerMilliseconds = 0.0
    private var outcomes: [Outcome] = []
    private var sink: (any OutcomeSink)?
    private var path = DevicePath()
    private var turnIsScheduled = false
    private var laterTurnIsScheduled = false
    private var cachedTurnTime: Moment?
    private var ticker: RepeatedTask?
    private var isRetired = false
    private var whenClosed: [EventLoopPromise<Void>] = []

    init(
        credential: Credential, environment: PushEnvironment, eventLoop: any EventLoop,
        configuration: APNSConfiguration, clock: @escaping @Sendable () -> Timestamp, logger: Logger
    ) throws {
        self.eventLoop = eventLoop
        self.configuration = configuration
        self.clock = clock
        var logger = logger
        logger[metadataKey: "credential"] = "\(credential.id)"
        logger[metadataKey: "team"] = "\(credential.team)"
        logger[metadataKey: "environment"] = "\(environment.rawValue)"
        self.logger = logger
        connector = try APNSConnector(credential: credential, environment: environment, configuration: configuration)
        switch credential.kind {
        case .token(let keyID, let privateKeyPEM):
            tokens = ProviderTokenSource(
                signer: try ProviderTokenSigner(privateKeyPEM: privateKeyPEM, keyID: keyID, team: credential.team))
        case .certificate: tokens = nil
        }
        sizing = PoolSizing(maximumConnections: configuration.maximumConnections)
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
        for connection in connections {
            connection.noteSignsOfLife(now: now)
            fill(connection, now: now)
        }
        resize(now: now)
        if isRetired, queue.isEmpty { finishRetiring() }
        report()
        cachedTurnTime = nil
    }

    private func fill(_ connection: APNSConnection, now: Moment) {
        var room = connection.capacity
        guard room > 0, !queue.isEmpty else { return }
        while room > 0, let push = queue.next() {
            switch prepare(push, now: now) {
            case .settled: continue
            case .ready(let path, let body):
                do {
                    try connection.send(push, path: path, body: body, now: now)
                    room -= 1
                } catch {
                    logger.notice("APNs connection takes no more requests", metadata: ["error": "\(error)"])
                    queue.putBack(push)
                    connection.retire()
                    room = 0
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
            guard let path = job.withBytes({ path.write(UnsafeBufferPointer(rebasing: $0[recipient.token])) }) else {
                throw APNSRequest.Fault(reason: "BadDeviceToken")
            }
            return .ready(path, body)
        } catch {
            settle(push, .rejected, reason: error.reason, at: now)
            return .settled
        }
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
        let open = connections.filter(\.isOpen)
        let load = PoolSizing.Load(
            isWorkWaiting: !queue.isEmpty, openConnections: open.count,
            isConnecting: connections.contains(where: \.isConnecting),
            isSaturated: open.allSatisfy { $0.capacity == 0 }, answerMilliseconds: answerMilliseconds)
        switch sizing.decide(load, nowMilliseconds: now.uptime) {
        case .stay: break
        case .lookAgain(let milliseconds): scheduleTurn(inMilliseconds: milliseconds)
        case .connect where now.uptime >= connectNotBefore: connect(now: now)
        case .connect: scheduleTurn(inMilliseconds: connectNotBefore - now.uptime)
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

    private func connect(now: Moment) {
        // A failure until an answer shows otherwise: a server that lets us in and then shows us the door is
        // not to be asked again at once either.
        connectNotBefore = now.uptime + backoff.failed(random: .random(in: 0..<1))
        do {
            let connection = try APNSConnection(
                eventLoop: eventLoop, authority: connector.authority, tokens: tokens,
                connectTimeoutSeconds: configuration.connectTimeoutSeconds, owner: self, logger: logger, now: now)
            connections.append(connection)
            connection.connect(with: connector)
        } catch {
            connectFailed(error)
        }
    }

    /// With no other connection to wait for, what is queued goes to the delay queues: a host that is away
    /// must not hold what the pipeline has room for.
    private func connectFailed(_ error: any Error) {
        let now = turnTime()
        logger.warning(
            "Connecting to APNs failed",
            metadata: [
                "endpoint": "\(connector.authority)", "error": "\(error)",
                "next_attempt_in_ms": "\(max(0, connectNotBefore - now.uptime))",
            ])
        guard !connections.contains(where: { $0.isOpen || $0.isConnecting }) else { return }
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
        let open = connections.count(where: \.isOpen)
        for connection in connections {
            connection.tick(now: now, requestTimeoutMilliseconds: Int64(configuration.requestTimeoutSeconds) * 1000)
            let idle = connection.openStreams == 0 ? now.uptime - connection.lastUsed : 0
            if connection.isOpen, sizing.shouldClose(idleMilliseconds: idle, openConnections: open) {
                connection.retire()
                break
            }
        }
        scheduleTurn()
    }

    private func finishRetiring() {
        for connection in connections { connection.retire() }
        guard connections.isEmpty, mailbox.withLock(\.isEmpty) else { return }
        ticker?.cancel()
        ticker = nil
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
        answerMilliseconds += (Double(now.uptime - push.sentAt) - answerMilliseconds) / 64
        if push.status == 200 {
            proved(connection, at: now)
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
        if answerClass != .retryOnNewConnection { proved(connection, at: now) }
        switch answerClass {
        case .tokenDead: verdict = .unregistered
        case .refused: verdict = .rejected
        case .credentialRefused: verdict = .failed
        case .retryLater: verdict = .retry
        case .retryOnNewConnection:
            connection.retire()
            if push.push.resends == 0 { return unprocessed(push.push) }
            verdict = .retry
        }
        add(
            Outcome(
                job: push.push.job.routed, recipient: push.push.recipient, verdict: verdict, status: push.status,
                reason: body.reason ?? "Status\(push.status)", judge: .provider, providerID: push.providerID,
                unregisteredAt: verdict == .unregistered ? body.timestamp ?? now.wall : nil, at: now.wall),
            of: push.push.job)
    }

    /// The connection is of use, so the next one need not wait.
    private func proved(_ connection: APNSConnection, at now: Moment) {
        guard !connection.isProven else { return }
        connection.isProven = true
        backoff.succeeded()
        connectNotBefore = now.uptime
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

    func changed(_ connection: APNSConnection) {
        scheduleTurn()
    }

    func closed(_ connection: APNSConnection, error: (any Error)?, whileConnecting: Bool) {
        connections.removeAll { $0 === connection }
        if whileConnecting {
            connectFailed(error ?? ChannelError.eof)
        } else if let error {
            logger.warning("APNs connection lost", metadata: ["error": "\(error)"])
        }
        scheduleTurn()
    }
}
