internal import Foundation
internal import HTTP2Session
internal import Logging
internal import NIOCore

/// The state that the connections of one event loop share. It is used only on that event loop, so it needs no lock.
final class SimulatorLoop {
    let eventLoop: any EventLoop
    let configuration: ServerConfiguration
    let recorder: Recorder
    let refusals: StreamRefusals
    let begin: (ConnectingClient) throws -> any ConnectionRules
    var streamLimit: Int
    private(set) var faults = ServerFaults()
    private(set) var connections: [ObjectIdentifier: RequestFlow] = [:]
    /// The number of rounds so far. A round is a regular check of all connections for timeouts.
    private(set) var round = 0
    // Only one thread uses this object, so exclusivity checks on the hot path would cost time and find nothing.
    @exclusivity(unchecked) var counters = LoopCounters()
    private let log: LimitedLog

    init(
        eventLoop: any EventLoop, configuration: ServerConfiguration, recorder: Recorder, refusals: StreamRefusals,
        begin: @escaping (ConnectingClient) throws -> any ConnectionRules, logger: Logger
    ) {
        self.eventLoop = eventLoop
        self.configuration = configuration
        self.recorder = recorder
        self.refusals = refusals
        self.begin = begin
        streamLimit = configuration.streamLimit
        log = LimitedLog(logger: logger)
        scheduleRound()
    }

    // MARK: Time

    private func scheduleRound() {
        let interval = TimeAmount(configuration.timeout / StallDetector.roundsPerTimeout)
        eventLoop.assumeIsolated().scheduleTask(in: interval) { [weak self] in self?.nextRound() }
    }

    private func nextRound() {
        defer { scheduleRound() }
        round += 1
        log.allowMore()
        guard faults.silence != .all else { return }
        for connection in connections.values {
            connection.endWhatTakesTooLong()
        }
    }

    /// The time according to the simulator's clock, in milliseconds since 1970. The clock is read once per turn of the
    /// event loop. Reading it for every request would cost more than checking the request.
    var now: Int64 {
        if let turnTime { return turnTime }
        let now = Int64(configuration.now().timeIntervalSince1970 * 1_000)
        turnTime = now
        eventLoop.assumeIsolated().execute { self.turnTime = nil }
        return now
    }

    private var turnTime: Int64?

    // MARK: Connections

    func connectionOpened(_ connection: RequestFlow) {
        eventLoop.preconditionInEventLoop()
        connections[ObjectIdentifier(connection)] = connection
        counters.simple.connections += 1
    }

    func connectionClosed(_ connection: RequestFlow) {
        eventLoop.preconditionInEventLoop()
        connections[ObjectIdentifier(connection)] = nil
    }

    func changeStreamLimit(to limit: Int) {
        eventLoop.preconditionInEventLoop()
        streamLimit = limit
        for connection in connections.values {
            connection.streamLimitChanged(to: limit)
        }
    }

    func apply(_ faults: ServerFaults) {
        eventLoop.preconditionInEventLoop()
        self.faults = faults
        for connection in connections.values {
            connection.silence(faults.silence == .all)
        }
    }

    // MARK: Counters

    func handshakeFailed(_ problem: String) {
        counters.simple.failedHandshakes += 1
        log.say("a TLS handshake failed", problem)
    }

    func requestMalformed(_ problem: String) {
        counters.simple.malformedRequests += 1
        log.say("refused a malformed request", problem)
    }

    func timedOut(_ problem: String) {
        counters.simple.timeouts += 1
        log.say("time limit exceeded", problem)
    }

    func connectionBroken(_ error: HTTP2Error) {
        counters.simple.brokenConnections += 1
        log.say("a connection broke", "\(error)")
    }

    func answerImpossible(_ error: HTTP2Error) {
        log.say("an answer is not valid HTTP", "\(error)")
    }

    var snapshot: SimulatorCounters {
        eventLoop.preconditionInEventLoop()
        var snapshot = counters.sum
        snapshot.openConnections = connections.count
        snapshot.openStreams = connections.values.reduce(0) { $0 + $1.openStreams }
        return snapshot
    }

    func reset() {
        eventLoop.preconditionInEventLoop()
        counters = LoopCounters()
        streamLimit = configuration.streamLimit
        apply(ServerFaults())
    }
}
