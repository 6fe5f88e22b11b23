import Logging
import NIOCore

/// The connections of a pool: opened and closed as its sizing and back-off say, spread over the addresses
/// that the name has. On the pool's event loop.
// why: unchecked for that reason; nothing of it is touched from elsewhere.
final class PoolConnections: @unchecked Sendable {
    /// Connections that may be opened without a pause, even where fewer may be open.
    private static let leastAtOnce = 8

    private(set) var all: [APNSConnection] = []

    private let eventLoop: any EventLoop
    private let connector: APNSConnector
    private let tokens: ProviderTokenSource?
    private let configuration: APNSConfiguration
    private let logger: Logger
    private var sizing: PoolSizing
    private var addressBook = AddressBook()
    private var permit: ConnectPermit
    private var answerMilliseconds = 0.0

    init(
        eventLoop: any EventLoop, connector: APNSConnector, tokens: ProviderTokenSource?,
        configuration: APNSConfiguration, logger: Logger
    ) {
        self.eventLoop = eventLoop
        self.connector = connector
        self.tokens = tokens
        self.configuration = configuration
        self.logger = logger
        permit = ConnectPermit(atOnce: max(Self.leastAtOnce, configuration.maximumConnections))
        sizing = PoolSizing(maximumConnections: configuration.maximumConnections)
    }

    /// None is there or being made: nothing can be sent for now.
    var areMissing: Bool { !all.contains { $0.isOpen || $0.isConnecting } }

    // MARK: How many

    /// Opens connections if some are due. To be called when those there are have been filled.
    ///
    /// - Returns: in how many milliseconds to ask again; nil: when something has changed.
    /// - Throws: when a connection can't even be begun.
    func resize(waiting: Int, owner: any APNSConnectionOwner, now: Moment) throws -> Int64? {
        eventLoop.preconditionInEventLoop()
        // While a token is awaited another connection would wait for the same.
        guard waiting > 0, !all.contains(where: \.isWaitingForToken) else { return nil }
        switch sizing.decide(load(waiting: waiting, now: now), nowMilliseconds: now.uptime) {
        case .stay: return nil
        case .lookAgain(let milliseconds): return milliseconds
        case .connect(let count):
            let wait = permit.wait(nowMilliseconds: now.uptime)
            guard wait == 0 else { return wait }
            permit.connecting(count, nowMilliseconds: now.uptime)
            for _ in 0..<count { try connect(owner: owner, now: now) }
            return nil
        }
    }

    private func load(waiting: Int, now: Moment) -> PoolSizing.Load {
        var load = PoolSizing.Load(
            waiting: waiting, inFlight: 0, established: 0, ramping: 0, replacements: permit.replacements,
            answerMilliseconds: answerMilliseconds, roundTripMilliseconds: 0)
        var shortestRoundTrip = Double.infinity
        for connection in all {
            load.inFlight += connection.openStreams
            if connection.isRamping(now: now) {
                load.ramping += 1
            } else if connection.isOpen {
                load.established += 1
            }
            if let measured = connection.roundTrip.milliseconds { shortestRoundTrip = min(shortestRoundTrip, measured) }
        }
        if shortestRoundTrip.isFinite { load.roundTripMilliseconds = shortestRoundTrip }
        return load
    }

    func answered(after milliseconds: Int64) {
        answerMilliseconds += (Double(milliseconds) - answerMilliseconds) / 64
    }

    /// The connection is of use, so the next one need not wait.
    func proved(_ connection: APNSConnection) {
        guard !connection.isProven else { return }
        connection.isProven = true
        permit.succeeded()
        if let address = connection.address { addressBook.succeeded(address) }
    }

    /// The server wants the connection closed, which is about to be retired.
    func mustGo(_ connection: APNSConnection, at now: Moment) {
        guard connection.isOpen else { return }
        if connection.isProven {
            permit.mustReplace()
        } else {
            failed(connection, at: now)
        }
    }

    /// It has never been of use: a server that lets us in and then shows us the door is not to be asked
    /// again at once either.
    private func failed(_ connection: APNSConnection, at now: Moment) {
        guard !connection.isProven, !connection.hasFailed else { return }
        connection.hasFailed = true
        permit.failed(nowMilliseconds: now.uptime, random: .random(in: 0..<1))
        if let address = connection.address { addressBook.failed(address, nowMilliseconds: now.uptime) }
    }

    func remove(_ connection: APNSConnection, at now: Moment) {
        failed(connection, at: now)
        all.removeAll { $0 === connection }
    }

    /// Once a second: timeouts, and an idle connection closed.
    func tick(now: Moment) {
        eventLoop.preconditionInEventLoop()
        let open = all.count(where: \.isOpen)
        for connection in all {
            connection.tick(now: now, requestTimeoutMilliseconds: Int64(configuration.requestTimeoutSeconds) * 1000)
            let idle = connection.openStreams == 0 ? now.uptime - connection.lastUsed : 0
            if connection.isOpen, sizing.shouldClose(idleMilliseconds: idle, openConnections: open) {
                connection.retire()
                break
            }
        }
    }

    func retire() {
        eventLoop.preconditionInEventLoop()
        for connection in all { connection.retire() }
    }

    // MARK: Connecting

    private func connect(owner: any APNSConnectionOwner, now: Moment) throws {
        let connection: APNSConnection
        do {
            connection = try APNSConnection(
                authority: connector.authority, tokens: tokens,
                settingsTimeoutSeconds: configuration.connectTimeoutSeconds, owner: owner, eventLoop: eventLoop,
                logger: logger, now: now)
        } catch {
            permit.failed(nowMilliseconds: now.uptime, random: .random(in: 0..<1))
            throw error
        }
        all.append(connection)
        connector.addresses(on: eventLoop).whenComplete { result in
            switch result {
            // Of equals the first is taken, and other workers have the same list.
            case .success(let addresses): self.connect(connection, toOneOf: addresses.shuffled())
            case .failure(let error): connection.channelClosed(error: error)
            }
        }
    }

    /// Tries one address after the other.
    private func connect(_ connection: APNSConnection, toOneOf addresses: [SocketAddress]) {
        let best = addressBook.best(
            of: addresses,
            connections: { address in all.count { $0.address == address && ($0.isOpen || $0.isConnecting) } },
            nowMilliseconds: Moment.uptimeMilliseconds())
        guard let address = best else {
            return connection.channelClosed(error: APNSConnectError.noAddress(connector.authority))
        }
        connection.address = address
        connector.connect(connection.makeHandler(), to: address, on: eventLoop).whenComplete { result in
            switch result {
            case .success(let channel): connection.connected(channel)
            case .failure(let error):
                let others = addresses.filter { $0 != address }
                guard connection.isConnecting, !others.isEmpty else { return connection.channelClosed(error: error) }
                self.addressBook.failed(address, nowMilliseconds: Moment.uptimeMilliseconds())
                self.logger.notice(
                    "An address of APNs does not let us in, trying the next",
                    metadata: ["address": "\(address)", "error": "\(error)"])
                connection.address = nil
                self.connect(connection, toOneOf: others)
            }
        }
    }

    /// For the log.
    func connectFailed(_ error: any Error, now: Moment) {
        logger.warning(
            "Connecting to APNs failed",
            metadata: [
                "endpoint": "\(connector.authority)", "error": "\(error)",
                "next_attempt_in_ms": "\(permit.wait(nowMilliseconds: now.uptime))",
            ])
    }
}
