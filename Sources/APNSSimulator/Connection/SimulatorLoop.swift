internal import Foundation
internal import HTTP2Session
internal import Logging
internal import NIOCore

/// What the connections of one event loop share. Used on that event loop only, so it needs no lock.
final class SimulatorLoop {
    let eventLoop: any EventLoop
    let configuration: SimulatorConfiguration
    let authority: ProviderTokenAuthority
    let answers: SharedAnswers
    let recorder: Recorder
    let channels: ChannelService
    let writer: ResponseWriter
    var streamLimit: Int
    var faults = StandingFaults()
    private(set) var connections: [ObjectIdentifier: SimulatorConnection] = [:]
    /// Counts the times that connections are looked through for what takes too long.
    private(set) var round = 0
    private let log: LimitedLog

    private var counters = SimulatorCounters()
    // Plain numbers for what every request changes; the dictionaries are for the rest.
    private var acceptedAnswers = 0
    private var answersByReason: [Tally: Int] = [:]

    private struct Tally: Hashable {
        var status: Int
        var reason: String?
    }

    init(
        eventLoop: any EventLoop, configuration: SimulatorConfiguration, authority: ProviderTokenAuthority,
        answers: SharedAnswers, recorder: Recorder, channels: ChannelService, logger: Logger
    ) throws {
        log = LimitedLog(logger: logger)
        self.channels = channels
        self.eventLoop = eventLoop
        self.configuration = configuration
        self.authority = authority
        self.answers = answers
        self.recorder = recorder
        streamLimit = configuration.streamLimit
        writer = try ResponseWriter(namesDeliveries: configuration.environment == .sandbox)
        scheduleRound()
    }

    // MARK: Time

    private func scheduleRound() {
        let interval = TimeAmount(configuration.timeout / ProgressWatch.roundsPerTimeout)
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

    /// Milliseconds since 1970 by the simulator's clock, as read first in this turn of the event loop: asking
    /// for every request would cost more than checking it.
    var now: Int64 {
        if let turnTime { return turnTime }
        let now = Int64(configuration.now().timeIntervalSince1970 * 1_000)
        turnTime = now
        eventLoop.assumeIsolated().execute { self.turnTime = nil }
        return now
    }

    private var turnTime: Int64?

    // MARK: Counting

    func connectionOpened(_ connection: SimulatorConnection) {
        eventLoop.preconditionInEventLoop()
        connections[ObjectIdentifier(connection)] = connection
        counters.connections += 1
    }

    func connectionClosed(_ connection: SimulatorConnection) {
        eventLoop.preconditionInEventLoop()
        connections[ObjectIdentifier(connection)] = nil
    }

    func handshakeFailed(_ problem: String) {
        counters.failedHandshakes += 1
        log.say("a TLS handshake failed", problem)
    }

    func requestMalformed(_ problem: String) {
        counters.malformedRequests += 1
        log.say("a malformed request is refused", problem)
    }

    func timedOut(_ problem: String) {
        counters.timeouts += 1
        log.say("not in time", problem)
    }

    func connectionBroken(_ error: HTTP2Error) {
        counters.brokenConnections += 1
        log.say("a connection has ended", "\(error)")
    }

    func requestArrived() {
        eventLoop.assertInEventLoop()
        counters.arrivals += 1
    }

    func streamRefused() {
        counters.refusedStreams += 1
    }

    func answerWithheld() {
        counters.withheld += 1
    }

    func answered(_ answer: PlannedAnswer) {
        eventLoop.assertInEventLoop()
        if answer.status == 200, answer.reason == nil {
            acceptedAnswers += 1
        } else {
            answersByReason[Tally(status: answer.status, reason: answer.reason), default: 0] += 1
        }
    }

    func streamsOpen(_ count: Int) {
        counters.mostOpenStreams = max(counters.mostOpenStreams, count)
    }

    var snapshot: SimulatorCounters {
        eventLoop.preconditionInEventLoop()
        var snapshot = counters
        snapshot.openConnections = connections.count
        snapshot.openStreams = connections.values.reduce(0) { $0 + $1.openStreams }
        if acceptedAnswers > 0 {
            snapshot.byStatus[200] = acceptedAnswers
        }
        for (tally, count) in answersByReason {
            snapshot.byStatus[tally.status, default: 0] += count
            if let reason = tally.reason {
                snapshot.byReason[reason, default: 0] += count
            }
        }
        return snapshot
    }

    func reset() {
        eventLoop.preconditionInEventLoop()
        counters = SimulatorCounters()
        acceptedAnswers = 0
        answersByReason = [:]
        streamLimit = configuration.streamLimit
        apply(StandingFaults())
    }

    func apply(_ faults: StandingFaults) {
        eventLoop.preconditionInEventLoop()
        self.faults = faults
        for connection in connections.values {
            connection.silence(faults.silence == .all)
        }
    }
}
