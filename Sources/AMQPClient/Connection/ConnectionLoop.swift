import Foundations
import Logging

/// The main loop of a connection's thread. It connects, serves the connection, and reconnects as long as the role has
/// work for a connection.
struct ConnectionLoop<Role: ConnectionRole> {
    private let shared: ConnectionThread<Role>
    private let role: Role
    private let configuration: AMQPConfiguration
    private let logger: Logger
    private var lifecycle: ConnectionLifecycle
    private var closeWasRequested = false
    /// Whether a caller waits for the first connection. The caller receives the error of a failed attempt, so the loop
    /// does not log it.
    private var isAwaited: Bool
    private let clock = ContinuousClock()

    init(
        shared: ConnectionThread<Role>, role: Role, configuration: AMQPConfiguration, mustConnectAtOnce: Bool,
        logger: Logger
    ) {
        self.shared = shared
        self.role = role
        self.configuration = configuration
        self.logger = logger
        isAwaited = mustConnectAtOnce
        lifecycle = ConnectionLifecycle(
            endpointCount: configuration.endpoints.count, mustConnectAtOnce: mustConnectAtOnce)
    }

    mutating func run() {
        var action = lifecycle.started()
        while true {
            switch action {
            case .connect(let endpoint):
                action = connect(to: configuration.endpoints[endpoint])
            case .wait(let duration):
                waitBeforeRetry(duration)
                action = lifecycle.waited(isWanted: isWanted)
            case .end(let error):
                role.perform(shared.ending())
                role.ended(error)
                shared.ended()
                return
            }
        }
    }

    private var isWanted: Bool {
        guard let deadline = shared.closeDeadline else { return role.isConnectionWanted }
        return role.isConnectionWanted && !role.isFinished && clock.now < deadline
    }

    private mutating func connect(to endpoint: Endpoint) -> ConnectionLifecycle.Action {
        var connectedAt: ContinuousClock.Instant?
        do throws(AMQPError) {
            let link = try BrokerLink.open(to: endpoint, configuration) {
                takeCommands()
                return isWanted
            }
            shared.socketOpened(link.socket)
            defer { shared.socketClosed() }
            try role.opened(link)
            connectedAt = clock.now
            lifecycle.connected()
            isAwaited = false
            logger.info(
                .brokerConnected, "Connected to the broker",
                metadata: ["broker": "\(endpoint)", "product": "\(link.product)"])
            try serve(link)
            let left = (shared.closeDeadline ?? clock.now) - clock.now
            role.left(link.close(within: max(BrokerLink.shortestFarewell, left)))
            return .end(nil)
        } catch {
            let uptime = connectedAt.map { clock.now - $0 } ?? .zero
            role.disconnected(error)
            takeCommands()
            let action = lifecycle.failed(
                error, uptime: uptime, isWanted: isWanted, random: .random(in: 0...1))
            if !isAwaited { report(error, at: endpoint, wasConnected: connectedAt != nil, next: action) }
            return action
        }
    }

    private func report(
        _ error: AMQPError, at endpoint: Endpoint, wasConnected: Bool,
        next: ConnectionLifecycle.Action
    ) {
        var metadata: Logger.Metadata = [
            "broker": "\(endpoint)", "error": "\(error)", "code": "\(error.code)",
        ]
        if case .wait(let delay) = next { metadata["retry_in_ms"] = "\(delay / .milliseconds(1))" }
        let level: Logger.Level = error.isRetriable ? .warning : .error
        if wasConnected {
            logger.log(level: level, .brokerLost, "Lost the connection to the broker", metadata: metadata)
        } else if error.code == .notFound {
            logger.log(
                level: level, .brokerIncomplete, "The broker lacks required exchanges or queues", metadata: metadata)
        } else {
            logger.log(level: level, .brokerUnreachable, "Cannot connect to the broker", metadata: metadata)
        }
    }

    private mutating func waitBeforeRetry(_ duration: Duration) {
        let end = clock.now + duration
        while isWanted {
            let deadline = min(end, shared.closeDeadline ?? end)
            let now = clock.now
            guard now < deadline else { return }
            _ = shared.wakeUp.wait(socket: nil, timeout: deadline - now)
            takeCommands()
        }
    }

    private mutating func takeCommands() {
        // The deadline is read before the commands, so that `commands` contains every command that was sent before the
        // close request.
        let mustClose = shared.closeDeadline != nil
        let commands = shared.takeCommands()
        if !commands.isEmpty { role.perform(commands) }
        if !closeWasRequested, mustClose {
            closeWasRequested = true
            role.closeRequested()
        }
    }

    // MARK: Connected

    /// Serves the connection. After a close request, returns when no work is left or the deadline has passed.
    private mutating func serve(_ link: BrokerLink) throws(AMQPError) {
        var heartbeat = HeartbeatTimer(interval: link.heartbeatInterval, now: clock.now)
        var waitsForRoom = false
        var pauseEnd: ContinuousClock.Instant?
        takeCommands()
        while true {
            waitsForRoom = try role.write(to: link)
            role.inputDrained()
            let before = clock.now
            let closeDeadline = closeWasRequested ? shared.closeDeadline : nil
            let end = role.isFinished ? role.staysUntil ?? before : nil
            if let closeDeadline, before >= min(end ?? closeDeadline, closeDeadline) { return }
            if link.takeHasWritten() { heartbeat.sent(at: before) }
            if let end = pauseEnd, before >= end { role.mustReadOn() }
            let wantsInput = role.wantsInput
            pauseEnd = wantsInput ? nil : pauseEnd ?? before + configuration.longestPause
            let timeout =
                wantsInput && link.hasBufferedInput
                ? .zero
                : min(
                    heartbeat.nextDeadline, closeDeadline.map { min(end ?? $0, $0) } ?? heartbeat.nextDeadline,
                    pauseEnd ?? heartbeat.nextDeadline) - before

            let ready = shared.wakeUp.wait(
                socket: link.socket, forInput: wantsInput, forRoom: waitsForRoom, timeout: timeout)
            let now = clock.now
            if ready.isSignalled { takeCommands() }
            if !wantsInput {
                if ready.socketHasInput {
                    throw AMQPError(.connectionLost, "the connection was lost while reading was paused")
                }
                // While nothing is read, silence does not mean that the broker is dead. The kernel detects a dead peer,
                // because the heartbeats that this client sends stay unacknowledged (`TCP_USER_TIMEOUT`).
                heartbeat.received(at: now)
            } else if ready.socketHasInput || link.hasBufferedInput {
                heartbeat.received(at: now)
                try read(link)
            }
            switch heartbeat.action(at: now) {
            case .nothing: break
            case .send where link.isWritable: try link.sendHeartbeat()
            case .send: heartbeat.sent(at: now)
            case .peerIsDead:
                throw AMQPError(.connectionLost, "the broker has sent nothing for two heartbeat intervals")
            }
        }
    }

    /// Reads the data that has arrived, up to a limit, so that a steady stream does not delay commands.
    private func read(_ link: BrokerLink) throws(AMQPError) {
        for _ in 0..<1024 {
            guard role.wantsInput, let inbound = try link.receive() else { return }
            if case .connectionClosed(let reply) = inbound {
                link.confirmConnectionClosed()
                throw AMQPError(closedBy: reply, isConnection: true, while: "the broker closed the connection")
            }
            try role.received(inbound, link)
            if !link.hasBufferedInput { return }
        }
    }
}
