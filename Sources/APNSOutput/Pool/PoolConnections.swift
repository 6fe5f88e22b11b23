import Logging
import NIOCore

/// The connections of a pool: opened and closed as its sizing and back-off say. On the pool's event loop.
final class PoolConnections {
    private(set) var all: [APNSConnection] = []

    private let eventLoop: any EventLoop
    private let connector: APNSConnector
    private let tokens: ProviderTokenSource?
    private let configuration: APNSConfiguration
    private let logger: Logger
    private var sizing: PoolSizing
    private var backoff = ConnectBackoff()
    private var connectNotBefore: Int64 = 0
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
        sizing = PoolSizing(maximumConnections: configuration.maximumConnections)
    }

    /// None is there or being made: nothing can be sent for now.
    var areMissing: Bool { !all.contains { $0.isOpen || $0.isConnecting } }

    /// Opens a connection if one is due.
    ///
    /// - Returns: in how many milliseconds to ask again; nil: when something has changed.
    /// - Throws: when a connection can't even be begun.
    func resize(isWorkWaiting: Bool, owner: any APNSConnectionOwner, now: Moment) throws -> Int64? {
        let open = all.filter(\.isOpen)
        let load = PoolSizing.Load(
            isWorkWaiting: isWorkWaiting, openConnections: open.count,
            isConnecting: all.contains(where: \.isConnecting),
            isSaturated: open.allSatisfy { $0.capacity == 0 }, answerMilliseconds: answerMilliseconds)
        switch sizing.decide(load, nowMilliseconds: now.uptime) {
        case .stay: return nil
        case .lookAgain(let milliseconds): return milliseconds
        case .connect:
            guard now.uptime >= connectNotBefore else { return connectNotBefore - now.uptime }
            try connect(owner: owner, now: now)
            return nil
        }
    }

    private func connect(owner: any APNSConnectionOwner, now: Moment) throws {
        // A failure until an answer shows otherwise: a server that lets us in and then shows us the door is
        // not to be asked again at once either.
        connectNotBefore = now.uptime + backoff.failed(random: .random(in: 0..<1))
        let connection = try APNSConnection(
            eventLoop: eventLoop, authority: connector.authority, tokens: tokens,
            connectTimeoutSeconds: configuration.connectTimeoutSeconds, owner: owner, logger: logger, now: now)
        all.append(connection)
        connection.connect(with: connector)
    }

    /// For the log.
    func connectFailed(_ error: any Error, now: Moment) {
        logger.warning(
            "Connecting to APNs failed",
            metadata: [
                "endpoint": "\(connector.authority)", "error": "\(error)",
                "next_attempt_in_ms": "\(max(0, connectNotBefore - now.uptime))",
            ])
    }

    func answered(after milliseconds: Int64) {
        answerMilliseconds += (Double(milliseconds) - answerMilliseconds) / 64
    }

    /// The connection is of use, so the next one need not wait.
    func proved(_ connection: APNSConnection, at now: Moment) {
        guard !connection.isProven else { return }
        connection.isProven = true
        backoff.succeeded()
        connectNotBefore = now.uptime
    }

    /// Once a second: timeouts, and an idle connection closed.
    func tick(now: Moment) {
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
        for connection in all { connection.retire() }
    }

    func remove(_ connection: APNSConnection) {
        all.removeAll { $0 === connection }
    }
}
