internal import Logging
internal import NIOCore
internal import NIOPosix
internal import Foundations

/// The ports and event loops of a simulator. It also keeps the state that must survive a stop, so that a restarted
/// simulator has the same ports, counters and faults.
final class SimulatorServer: Sendable {
    private struct Running {
        var group: MultiThreadedEventLoopGroup
        var loops: [NIOLoopBound<SimulatorLoop>]
        var listeners: [any Channel]
    }

    private struct Kept {
        var ports: [Int]?
        var counters = SimulatorCounters()
        var faults = ServerFaults()
    }

    let configuration: ServerConfiguration
    let recorder = Recorder()
    let refusals = StreamRefusals()
    private let authority: CertificateAuthority
    private let begin: @Sendable (ConnectingClient) throws -> any ConnectionRules
    private let logger: Logger
    private let running = Mutex<Running?>(nil)
    private let kept = Mutex(Kept())

    init(
        configuration: ServerConfiguration, authority: CertificateAuthority, logger: Logger,
        begin: @escaping @Sendable (ConnectingClient) throws -> any ConnectionRules
    ) {
        self.configuration = configuration
        self.authority = authority
        self.logger = logger
        self.begin = begin
    }

    // MARK: Running

    /// Opens the ports and starts the event loops.
    ///
    /// - Throws: ``SimulatorError`` that names the port if it cannot be opened.
    func start() async throws {
        let kept = kept.withLock { $0 }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, configuration.threads))
        do {
            let loops = try await makeLoops(group, kept.faults)
            let listeners = try await SimulatorListener(
                configuration: configuration, authority: authority, logger: logger
            ).listen(group, loops, ports: kept.ports ?? [configuration.port] + configuration.otherPorts)
            self.kept.withLock { $0.ports = listeners.map { $0.localAddress?.port ?? 0 } }
            running.withLock { $0 = Running(group: group, loops: loops, listeners: listeners) }
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    /// Stops the server. Does nothing if it is not running.
    func stop() async {
        guard let running = running.withLock({ $0.take() }) else { return }
        for listener in running.listeners { try? await listener.close() }
        await onEachLoop(running) { loop in
            var counted = loop.snapshot
            (counted.openConnections, counted.openStreams) = (0, 0)
            self.kept.withLock { [counted] in $0.counters.add(counted) }
            for connection in loop.connections.values {
                connection.cut()
            }
        }
        try? await running.group.shutdownGracefully()
    }

    /// The port numbers, indexed as in ``ConnectingClient/port``. The list is empty while the server is not running.
    var ports: [Int] {
        running.withLock { $0?.listeners.map { $0.localAddress?.port ?? 0 } ?? [] }
    }

    private func makeLoops(
        _ group: MultiThreadedEventLoopGroup, _ faults: ServerFaults
    ) async throws -> [NIOLoopBound<SimulatorLoop>] {
        var loops: [NIOLoopBound<SimulatorLoop>] = []
        for eventLoop in group.makeIterator() {
            let loop = eventLoop.submit { [configuration, recorder, refusals, begin, logger] in
                let loop = SimulatorLoop(
                    eventLoop: eventLoop, configuration: configuration, recorder: recorder, refusals: refusals,
                    begin: begin, logger: logger)
                loop.apply(faults)
                return NIOLoopBound(loop, eventLoop: eventLoop)
            }
            loops.append(try await loop.get())
        }
        return loops
    }

    // MARK: Event loops

    func onEachLoop(_ body: @escaping @Sendable (SimulatorLoop) -> Void) async {
        if let running = running.withLock({ $0 }) {
            await onEachLoop(running, body)
        }
    }

    private func onEachLoop(_ running: Running, _ body: @escaping @Sendable (SimulatorLoop) -> Void) async {
        for loop in running.loops {
            // The call fails only if the event loop was shut down together with all its connections.
            try? await loop.eventLoop.submit { body(loop.value) }.get()
        }
    }

    func onEachConnection(_ body: @escaping @Sendable (RequestFlow) -> Void) async {
        await onEachLoop { loop in
            for connection in loop.connections.values {
                body(connection)
            }
        }
    }

    // MARK: Kept state

    func apply(_ faults: ServerFaults) async {
        kept.withLock { $0.faults = faults }
        await onEachLoop { $0.apply(faults) }
    }

    func controlRequestRefused(_ problem: String) {
        kept.withLock { $0.counters.refusedControlRequests += 1 }
        logger.notice(
            "refused a request to the control endpoint", metadata: ["problem": "\(problem.debugDescription)"])
    }

    func counters() async -> SimulatorCounters {
        let sum = Mutex(kept.withLock(\.counters))
        await onEachLoop { loop in
            let snapshot = loop.snapshot
            sum.withLock { $0.add(snapshot) }
        }
        return sum.withLock { $0 }
    }

    func reset() async {
        refusals.set(0)
        recorder.reset()
        kept.withLock { ($0.counters, $0.faults) = (SimulatorCounters(), ServerFaults()) }
        await onEachLoop { $0.reset() }
    }
}
