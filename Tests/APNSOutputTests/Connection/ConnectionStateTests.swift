import APNSOutput
import Testing

@Suite struct ConnectionStateTests {
    private static func state(_ phase: ConnectionState.Phase, token: Bool = false) -> ConnectionState {
        var state = ConnectionState(usesProviderToken: token, connectTimeoutMilliseconds: 10_000, nowMilliseconds: 0)
        if phase == .connecting { return state }
        state.settingsArrived()
        if phase == .draining { _ = state.retire() }
        if phase == .closed { state.close() }
        return state
    }

    @Test(
        arguments: [
            (.connecting, .open), (.open, .open), (.draining, .draining), (.closed, .closed),
        ] as [(ConnectionState.Phase, ConnectionState.Phase)])
    func settingsOpenIt(before: ConnectionState.Phase, after: ConnectionState.Phase) {
        var state = Self.state(before)
        #expect(state.phase == before)
        state.settingsArrived()
        #expect(state.phase == after)
    }

    @Test(
        arguments: [
            (.connecting, true, .draining), (.open, true, .draining), (.draining, false, .draining),
            (.closed, false, .closed),
        ] as [(ConnectionState.Phase, Bool, ConnectionState.Phase)])
    func retiringIsToldOnce(before: ConnectionState.Phase, wasInUse: Bool, after: ConnectionState.Phase) {
        var state = Self.state(before)
        let told = state.retire()
        #expect(told == wasInUse)
        #expect(state.phase == after)
    }

    @Test(arguments: [ConnectionState.Phase.connecting, .open, .draining, .closed])
    func closingIsTheEnd(before: ConnectionState.Phase) {
        var state = Self.state(before)
        state.close()
        #expect(state.phase == .closed)
    }

    @Test(
        arguments: [
            (.connecting, 0, 1000, 0), (.open, 0, 1000, 1000), (.open, 999, 1000, 1), (.open, 1000, 1000, 0),
            (.open, 1000, 500, 0), (.open, 0, nil, 1), (.open, 1, nil, 0), (.open, 0, 0, 0), (.draining, 0, 1000, 0),
            (.closed, 0, 1000, 0),
        ] as [(ConnectionState.Phase, Int, Int?, Int)])
    func capacityIsWhatTheServerAllows(phase: ConnectionState.Phase, streams: Int, limit: Int?, capacity: Int) {
        #expect(Self.state(phase).capacity(openStreams: streams, peerMaximum: limit) == capacity)
    }

    @Test func withATokenThereIsOneStreamUntilTheFirstAnswer() {
        var state = Self.state(.open, token: true)
        #expect(state.capacity(openStreams: 0, peerMaximum: 1000) == 1)
        #expect(state.capacity(openStreams: 1, peerMaximum: 1000) == 0)
        #expect(state.capacity(openStreams: 0, peerMaximum: 0) == 0)
        state.answered()
        #expect(state.capacity(openStreams: 0, peerMaximum: 1000) == 1000)
        #expect(state.capacity(openStreams: 0, peerMaximum: 1) == 1, "the server's own limit still counts")
    }

    @Test func connectingTimesOut() {
        var state = Self.state(.connecting)
        #expect(state.tick(nowMilliseconds: 9999, openStreams: 0) == .nothing)
        #expect(state.tick(nowMilliseconds: 10_000, openStreams: 0) == .giveUp)
    }

    @Test(arguments: [ConnectionState.Phase.open, .draining], [(0, 900_000), (1, 10_000)] as [(Int, Int64)])
    func silenceLeadsToAPingAndThenToTheEnd(phase: ConnectionState.Phase, patience: (streams: Int, milliseconds: Int64))
    {
        var state = Self.state(phase)
        let (streams, milliseconds) = patience
        #expect(state.tick(nowMilliseconds: milliseconds - 1, openStreams: streams) == .nothing)
        #expect(state.tick(nowMilliseconds: milliseconds, openStreams: streams) == .ping)
        #expect(
            state.tick(nowMilliseconds: milliseconds + 9999, openStreams: streams) == .nothing, "one PING at a time")
        #expect(state.tick(nowMilliseconds: milliseconds + 10_000, openStreams: streams) == .giveUp)
    }

    @Test func whatIsHeardCountsForThePing() {
        var state = Self.state(.open)
        #expect(state.tick(nowMilliseconds: 10_000, openStreams: 1) == .ping)
        state.heard(nowMilliseconds: 15_000)
        #expect(state.tick(nowMilliseconds: 20_000, openStreams: 1) == .nothing)
        #expect(state.tick(nowMilliseconds: 24_999, openStreams: 1) == .nothing)
        #expect(state.tick(nowMilliseconds: 25_000, openStreams: 1) == .ping, "silent again since 15 s")
    }

    @Test func aClosedConnectionAsksForNothing() {
        var state = Self.state(.closed)
        #expect(state.tick(nowMilliseconds: 10_000_000, openStreams: 9) == .nothing)
    }
}
