import Foundations
import HTTP2Session
package import Logging
package import NIOCore

/// A pool of connections to one endpoint. It sends the requests of one client.
///
/// All work is done on one event loop, in turns. An event only schedules a turn. The turn fills the connections with
/// requests, writes once, and opens or closes connections as ``PoolPlan`` decides. For a request without an answer, the
/// pool reports whether the server may have processed it.
// why: unchecked because all access is on that event loop.
package final class ConnectionPool: @unchecked Sendable {
    package let eventLoop: any EventLoop
    private let client: any PoolClient
    private let makeAuthorization: () -> any ConnectionAuthorization
    private let configuration: PoolConfiguration
    private let connector: Connector
    private let logger: Logger

    private var connections: [PooledConnection] = []
    private var plan: PoolPlan
    let meter: PoolMeter?
    private var addressSelector = AddressSelector()
    private var cachedTime: Int64?
    private var turnIsScheduled = false
    /// The time of the next delayed turn in milliseconds of ``Uptime``, or `nil` if none is scheduled.
    private var laterTurn: Int64?
    private var ticker: RepeatedTask?
    private var hasTicked = false
    private var isRetired = false
    private var isAbandoned = false
    private var whenClosed: [EventLoopPromise<Void>] = []

    /// Creates a pool without connections.
    ///
    /// - Parameters:
    ///   - client: The source of requests. The pool retains the client until the pool is released.
    ///   - authorization: A function that creates the authorization of a new connection.
    /// - Throws: An error if a certificate or the authority file cannot be used, or
    ///   ``ConnectError/addressThroughProxy(_:)``.
    package init(
        _ configuration: PoolConfiguration, client: any PoolClient, eventLoop: any EventLoop, logger: Logger,
        authorization: @escaping () -> any ConnectionAuthorization
    ) throws {
        self.configuration = configuration
        self.client = client
        self.eventLoop = eventLoop
        self.logger = logger
        makeAuthorization = authorization
        connector = try Connector(configuration)
        meter = configuration.labels.map { PoolMeter($0, configuration, eventLoop: eventLoop) }
        plan = PoolPlan(
            maximumConnections: configuration.maximumConnections,
            idleMilliseconds: Int64(configuration.idleSeconds) * 1000,
            keepsLast: configuration.keepsLast)
    }

    // MARK: Calls by the client, on the event loop

    /// Returns the current time, in milliseconds of ``Uptime``. The clock is read once in each turn.
    package func time() -> Int64 {
        if let cachedTime { return cachedTime }
        let now = Uptime.milliseconds()
        cachedTime = now
        scheduleTurn()
        return now
    }

    /// Whether the pool has connections, including those that are connecting or closing.
    package var hasConnections: Bool { !connections.isEmpty }

    /// Schedules a turn. Call this if there is something to send or if other state has changed.
    package func scheduleTurn() {
        eventLoop.preconditionInEventLoop()
        guard !turnIsScheduled else { return }
        turnIsScheduled = true
        eventLoop.execute { self.turn() }
    }

    /// Schedules a turn that begins after at most `milliseconds`.
    package func scheduleTurn(inMilliseconds milliseconds: Int64) {
        let due = Uptime.milliseconds() + milliseconds
        if let laterTurn, laterTurn <= due { return }
        laterTurn = due
        eventLoop.scheduleTask(in: .milliseconds(milliseconds)) {
            if self.laterTurn == due { self.laterTurn = nil }
            self.scheduleTurn()
        }
    }

    /// Cancels requests on the wire that the server can't have begun to process. Each request is reported with
    /// ``PoolClient/unprocessed(_:_:now:)``.
    ///
    /// - Parameter isMeant: A function that returns whether to cancel the request with a tag.
    package func cancel(_ isMeant: (_ tag: Int) -> Bool) {
        for connection in connections { connection.cancel(isMeant) }
    }

    /// Retires the pool. Once the client's last waiting request has been sent, each connection closes after its last
    /// answer.
    ///
    /// - Parameter closed: A promise that succeeds when all connections are closed.
    package func retire(closed: EventLoopPromise<Void>) {
        isRetired = true
        whenClosed.append(closed)
        scheduleTurn()
    }

    /// Closes all connections at once and opens no new ones. Requests on the wire are lost. Waiting requests stay with
    /// the client.
    package func abandon() {
        isAbandoned = true
        for connection in connections { connection.abandon() }
        scheduleTurn()
    }

    // MARK: Turns

    private func turn() {
        turnIsScheduled = false
        let now = cachedTime ?? Uptime.milliseconds()
        cachedTime = now
        client.turnBegins(now: now)
        startTicking()
        for connection in connections {
            connection.noteSignsOfLife(now: now)
            fill(connection, now: now)
        }
        if hasTicked { closeIdle(now: now) }
        client.filled(isUsable: connections.contains { $0.isOpen && !$0.isAwaitingAuthorization }, now: now)
        if client.yieldsTurn { scheduleTurn() } else { resize(now: now) }
        if isRetired, client.isEmpty || isAbandoned { finishRetiring() }
        client.turnEnds()
        // An update once a second is enough for a metrics scraper. The last update removes this pool's share.
        if hasTicked || isRetired { meter?.holds(.init(connections, waiting: client.waiting), isLast: isRetired) }
        hasTicked = false
        cachedTime = nil
    }

    private func fill(_ connection: PooledConnection, now: Int64) {
        guard client.waiting > 0, !isAbandoned else { return }
        connection.renewAuthorization()
        var room = connection.room
        defer { meter?.filled(room, waiting: client.waiting) }
        guard !room.isEmpty else { return }
        let kept = min(configuration.urgentStreams, connection.maximumStreams / 10)
        var forAll = connection.maximumStreams - connection.openStreams - kept
        while !room.isEmpty, let request = client.next(onlyUrgent: kept > 0 && forAll <= 0, now: now) {
            do {
                try connection.send(request, now: now)
                room.take(bodyBytes: request.body.count)
                forAll -= 1
            } catch {
                logger.notice(
                    .takesNoMore, "The connection to \(configuration.service) accepts no more requests",
                    metadata: ["error": "\(error)"])
                client.unprocessed(request.tag, nil, now: now)
                connection.retire()
                room = .none
            }
        }
        connection.flush()
    }

    private func startTicking() {
        guard ticker == nil, !isRetired || !client.isEmpty, !isAbandoned else { return }
        ticker = eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in self.tick() }
    }

    private func tick() {
        let now = time()
        for connection in connections { connection.tick(now: now) }
        client.tick(now: now)
        hasTicked = true
        scheduleTurn()
    }

    /// Closes all idle connections that their servers may close at any time. If there is no such connection, closes at
    /// most one other idle connection. Call this after the connections have been filled, because a connection that has
    /// just opened gets its first requests only then.
    private func closeIdle(now: Int64) {
        let idle = connections.filter { $0.isOpen && $0.openStreams == 0 }
        let due = idle.filter { $0.mustClose(idleMilliseconds: now - $0.lastUsed) }
        for connection in due { connection.dismiss() }
        guard due.isEmpty else { return }
        let open = connections.count(where: \.isOpen)
        let isWantedElsewhere =
            configuration.sharedLimit?.wantsBack(isLast: connections.count == 1, nowMilliseconds: now) ?? false
        idle.first {
            plan.closes(
                idleMilliseconds: now - $0.lastUsed, openConnections: open, isWantedElsewhere: isWantedElsewhere)
        }?.dismiss()
    }

    private func finishRetiring() {
        for connection in connections { connection.retire() }
        guard connections.isEmpty else { return }
        ticker?.cancel()
        ticker = nil
        for promise in whenClosed { promise.succeed() }
        whenClosed = []
    }

    // MARK: Number of connections

    private func resize(now: Int64) {
        guard !isAbandoned else { return }
        switch plan.decide(counted(now: now), waiting: client.waiting, nowMilliseconds: now) {
        case .stay: break
        case .lookAgain(let milliseconds): scheduleTurn(inMilliseconds: milliseconds)
        case .connect(let wanted):
            let count =
                configuration.sharedLimit?.take(upTo: wanted, beside: connections.count, nowMilliseconds: now)
                ?? wanted
            guard count > 0 else {
                if !hasConnections { client.crowdedOut(now: now) }
                return scheduleTurn(inMilliseconds: 1_000)
            }
            plan.connecting(count, nowMilliseconds: now)
            for _ in 0..<count { connect(now: now) }
        }
    }

    private func counted(now: Int64) -> PoolConnections {
        var counted = PoolConnections()
        for connection in connections {
            counted.inFlight += connection.openStreams
            if connection.isRamping(now: now) {
                counted.ramping += 1
            } else if connection.isOpen {
                counted.established += 1
            }
            if connection.isAwaitingAuthorization { counted.isAwaitingAuthorization = true }
            if let measured = connection.roundTrip.milliseconds {
                counted.roundTripMilliseconds = min(measured, counted.roundTripMilliseconds ?? measured)
            }
        }
        return counted
    }

    // MARK: Connecting

    private func connect(now: Int64) {
        let connection = PooledConnection(
            of: self, client: client, authorization: makeAuthorization(), eventLoop: eventLoop,
            configuration: configuration, logger: logger, now: now)
        connections.append(connection)
        connector.addresses(on: eventLoop).whenComplete { result in
            switch result {
            // The addresses are shuffled, because the first of several equally good addresses is chosen and other
            // workers have the same list.
            case .success(let addresses): self.connect(connection, AddressTrial(addresses.shuffled()))
            case .failure(let error): connection.channelClosed(error: error)
            }
        }
    }

    /// Connects to the best of the remaining addresses. After a failure, the next address is tried.
    private func connect(_ connection: PooledConnection, _ trial: AddressTrial) {
        // The pool gave up on the connection during the look-up.
        guard connection.isConnecting else { return connection.channelClosed(error: nil) }
        let best = addressSelector.best(
            of: trial.addresses,
            connections: { address in connections.count { $0.address == address && ($0.isOpen || $0.isConnecting) } },
            nowMilliseconds: Uptime.milliseconds())
        guard let address = best else {
            return connection.channelClosed(error: ConnectError.noAddress(configuration.endpoint.authority))
        }
        connection.address = address
        connector.connect(to: address, on: eventLoop, makeWire: connection.makeWire).whenComplete { result in
            switch result {
            case .success(let channel): connection.connected(channel)
            case .failure(let error):
                let others = trial.after(error, at: address)
                guard !others.addresses.isEmpty else { return connection.channelClosed(error: others.failure) }
                self.addressSelector.failed(address, nowMilliseconds: Uptime.milliseconds())
                self.logger.notice(
                    .addressRefuses, "Connecting to an address of \(self.configuration.service) failed; trying another",
                    metadata: ["address": "\(address)", "error": "\(ConnectError.text(of: error))"])
                connection.address = nil
                self.connect(connection, others)
            }
        }
    }

    private func connectFailed(_ error: any Error) {
        meter?.couldNotConnect()
        logger.warning(
            .connectingFailed, "Connecting to \(configuration.service) failed",
            metadata: [
                "endpoint": "\(configuration.endpoint.authority)", "error": "\(ConnectError.text(of: error))",
                "next_attempt_in_ms": "\(plan.wait(nowMilliseconds: time()))",
            ])
        client.connectFailed(error, isLast: !connections.contains { $0.isOpen || $0.isConnecting }, now: time())
    }

    // MARK: Reports from connections

    func answered(on connection: PooledConnection, after milliseconds: Int64, _ verdict: ConnectionVerdict) {
        plan.answered(after: milliseconds)
        guard case .keep = verdict else { return leave(connection) }
        guard connection.prove() else { return }
        plan.succeeded()
        if let address = connection.address { addressSelector.succeeded(address) }
    }

    /// Retires a connection that the server asks to close, with GOAWAY or an answer.
    func leave(_ connection: PooledConnection) {
        if connection.isOpen {
            if connection.isProven { plan.mustReplace() } else { failed(connection) }
        }
        connection.retire()
    }

    /// Retires a connection that the server closes after an answer, as some HTTP/1.1 servers do after every answer.
    func completed(_ connection: PooledConnection) {
        if connection.isProven, connection.isOpen { plan.completed() }
        leave(connection)
    }

    /// Records the failure of a connection that was never proven, so that the next attempt waits for a back-off. The
    /// connection may have been open, because a server may accept connections and then close them.
    private func failed(_ connection: PooledConnection) {
        guard connection.fail() else { return }
        plan.failed(nowMilliseconds: time(), random: .random(in: 0..<1))
        if let address = connection.address { addressSelector.failed(address, nowMilliseconds: time()) }
    }

    func closed(_ connection: PooledConnection, error: (any Error)?, beforeUse: Bool) {
        failed(connection)
        connections.removeAll { $0 === connection }
        configuration.sharedLimit?.release(1)
        if beforeUse {
            connectFailed(error ?? ChannelError.eof)
        } else if let error {
            logger.warning(.connectionLost, "Lost the connection to \(configuration.service)", metadata: .of(error))
        }
        scheduleTurn()
    }
}
