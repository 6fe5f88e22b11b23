import EventNames
import Addressing
import HTTP2Session
package import Logging
package import NIOCore

/// Connections to one endpoint, filled with the requests of one client.
///
/// Everything happens on one event loop, in turns: whatever comes only marks that there is something to do, and one
/// turn then fills the connections, writes once, and opens or closes some as ``PoolPlan`` says. The client is told
/// which requests have certainly not been processed, and which may have been.
// why: unchecked for that reason; nothing of it is touched from elsewhere.
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
    private var addressBook = AddressBook()
    private var cachedTime: Int64?
    private var turnIsScheduled = false
    /// When the next is due that was not wanted at once; milliseconds of ``Uptime``.
    private var laterTurn: Int64?
    private var ticker: RepeatedTask?
    private var hasTicked = false
    private var isRetired = false
    private var isAbandoned = false
    private var whenClosed: [EventLoopPromise<Void>] = []

    /// - Parameters:
    ///   - client: held as long as the pool, which is its owner's to release.
    ///   - authorization: called for each connection.
    /// - Throws: when a certificate or the authority file can't be used.
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

    // MARK: For the client, on the event loop

    /// Milliseconds of ``Uptime``, read once per turn.
    package func time() -> Int64 {
        if let cachedTime { return cachedTime }
        let now = Uptime.milliseconds()
        cachedTime = now
        scheduleTurn()
        return now
    }

    /// Open, on their way to that, or closing.
    package var hasConnections: Bool { !connections.isEmpty }

    /// Something is to be sent, or something else has changed.
    package func scheduleTurn() {
        eventLoop.preconditionInEventLoop()
        guard !turnIsScheduled else { return }
        turnIsScheduled = true
        eventLoop.execute { self.turn() }
    }

    /// The same after a while, at the latest.
    package func scheduleTurn(inMilliseconds milliseconds: Int64) {
        let due = Uptime.milliseconds() + milliseconds
        if let laterTurn, laterTurn <= due { return }
        laterTurn = due
        eventLoop.scheduleTask(in: .milliseconds(milliseconds)) {
            if self.laterTurn == due { self.laterTurn = nil }
            self.scheduleTurn()
        }
    }

    /// Requests on the wire of which a part has not left are taken back; ``PoolClient/unprocessed(_:)`` tells of them.
    ///
    /// - Parameter isMeant: asked for every request on the wire.
    package func cancel(_ isMeant: (_ tag: Int) -> Bool) {
        for connection in connections { connection.cancel(isMeant) }
    }

    /// Once the client has nothing waiting, connections close when their last answers have come.
    ///
    /// - Parameter closed: succeeds then.
    package func retire(closed: EventLoopPromise<Void>) {
        isRetired = true
        whenClosed.append(closed)
        scheduleTurn()
    }

    /// Closes all connections at once, and opens no other; what is on the wire is lost, what waits stays.
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
        // Once a second is as good as each time to whoever scrapes; and at the end nothing is left of it.
        if hasTicked || isRetired { meter?.holds(PoolFigures(connections, waiting: client.waiting), isLast: isRetired) }
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
                    .takesNoMore, "\(configuration.service) connection takes no more requests",
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

    /// All that their servers may close at any time; of the others one. To be asked when connections have been given what
    /// there is to do: one that has only just opened is not idle.
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

    // MARK: How many connections

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
            // Of equals the first is taken, and other workers have the same list.
            case .success(let addresses): self.connect(connection, AddressTrial(addresses.shuffled()))
            case .failure(let error): connection.channelClosed(error: error)
            }
        }
    }

    /// Tries one address after the other.
    private func connect(_ connection: PooledConnection, _ trial: AddressTrial) {
        // Given up while its name was looked up.
        guard connection.isConnecting else { return connection.channelClosed(error: nil) }
        let best = addressBook.best(
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
                self.addressBook.failed(address, nowMilliseconds: Uptime.milliseconds())
                self.logger.notice(
                    .addressRefuses, "An address of \(self.configuration.service) does not let us in, trying the next",
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

    // MARK: What connections tell

    func answered(on connection: PooledConnection, after milliseconds: Int64, _ verdict: ConnectionVerdict) {
        plan.answered(after: milliseconds)
        guard case .keep = verdict else { return leave(connection) }
        guard connection.prove() else { return }
        plan.succeeded()
        if let address = connection.address { addressBook.succeeded(address) }
    }

    /// The server wants the connection closed.
    func leave(_ connection: PooledConnection) {
        if connection.isOpen {
            if connection.isProven { plan.mustReplace() } else { failed(connection) }
        }
        connection.retire()
    }

    /// The server closes it, having answered: as it does after each answer, perhaps.
    func completed(_ connection: PooledConnection) {
        if connection.isProven, connection.isOpen { plan.completed() }
        leave(connection)
    }

    /// It has never been of use: a server that lets us in and then shows us the door is not to be asked
    /// again at once either.
    private func failed(_ connection: PooledConnection) {
        guard connection.fail() else { return }
        plan.failed(nowMilliseconds: time(), random: .random(in: 0..<1))
        if let address = connection.address { addressBook.failed(address, nowMilliseconds: time()) }
    }

    func closed(_ connection: PooledConnection, error: (any Error)?, beforeUse: Bool) {
        failed(connection)
        connections.removeAll { $0 === connection }
        configuration.sharedLimit?.release(1)
        if beforeUse {
            connectFailed(error ?? ChannelError.eof)
        } else if let error {
            logger.warning(.connectionLost, "\(configuration.service) connection lost", metadata: .of(error))
        }
        scheduleTurn()
    }
}
