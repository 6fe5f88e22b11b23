import HTTP2Pool
import Testing

@Suite struct ConnectionStateTests {
    private static func state(_ phase: ConnectionState.Phase, token: Bool = false) -> ConnectionState {
        var state = ConnectionState(
            streamsUntilProven: token ? 1 : nil, settingsTimeoutMilliseconds: 10_000, nowMilliseconds: 0)
        if phase == .connecting { return state }
        state.connected(nowMilliseconds: 0)
        if phase == .awaitingSettings { return state }
        _ = state.settingsArrived(nowMilliseconds: 0)
        if phase == .draining { _ = state.retire() }
        if phase == .closed { state.close() }
        return state
    }

    @Test(
        arguments: [
            (.connecting, .awaitingSettings), (.awaitingSettings, .awaitingSettings), (.open, .open),
            (.draining, .draining), (.closed, .closed),
        ] as [(ConnectionState.Phase, ConnectionState.Phase)])
    func awaitsSettingsOnceChannelIsConnected(before: ConnectionState.Phase, after: ConnectionState.Phase) {
        var state = Self.state(before)
        #expect(state.phase == before)
        state.connected(nowMilliseconds: 1)
        #expect(state.phase == after)
    }

    @Test(
        arguments: [
            (.connecting, true, .open), (.awaitingSettings, true, .open), (.open, false, .open),
            (.draining, false, .draining), (.closed, false, .closed),
        ] as [(ConnectionState.Phase, Bool, ConnectionState.Phase)])
    func opensOnceWhenSettingsArrive(before: ConnectionState.Phase, opens: Bool, after: ConnectionState.Phase) {
        var state = Self.state(before)
        let opened = state.settingsArrived(nowMilliseconds: 1)
        #expect(opened == opens)
        #expect(state.phase == after)
    }

    @Test(
        arguments: [
            (.connecting, true, .draining), (.awaitingSettings, true, .draining), (.open, true, .draining),
            (.draining, false, .draining),
            (.closed, false, .closed),
        ] as [(ConnectionState.Phase, Bool, ConnectionState.Phase)])
    func reportsRetirementOnce(before: ConnectionState.Phase, wasInUse: Bool, after: ConnectionState.Phase) {
        var state = Self.state(before)
        let reported = state.retire()
        #expect(reported == wasInUse)
        #expect(state.phase == after)
    }

    @Test(arguments: [ConnectionState.Phase.connecting, .awaitingSettings, .open, .draining, .closed])
    func closesFromEveryPhase(before: ConnectionState.Phase) {
        var state = Self.state(before)
        state.close()
        #expect(state.phase == .closed)
    }

    private static func limits(
        open: Int = 0, maximum: Int? = 1000, window: Int = 65_535, streamWindow: Int = 65_535, unsent: Int = 0
    ) -> FlowLimits {
        FlowLimits(
            openStreams: open, maximumStreams: maximum, sendWindow: window, streamWindow: streamWindow,
            unsentBytes: unsent)
    }

    @Test(
        arguments: [
            (.connecting, 0, 1000, 0), (.awaitingSettings, 0, 1000, 0), (.open, 0, 1000, 1000), (.open, 999, 1000, 1),
            (.open, 1000, 1000, 0), (.open, 1000, 500, 0), (.open, 0, nil, 1), (.open, 1, nil, 0), (.open, 0, 0, 0),
            (.draining, 0, 1000, 0), (.closed, 0, 1000, 0),
        ] as [(ConnectionState.Phase, Int, Int?, Int)])
    func limitsStreamsToServerLimit(phase: ConnectionState.Phase, open: Int, limit: Int?, streams: Int) {
        #expect(Self.state(phase).room(Self.limits(open: open, maximum: limit)).streams == streams)
    }

    @Test(
        arguments: [
            (limits(), 65_535), (limits(window: 0), 0), (limits(window: 10_000, unsent: 4_000), 6_000),
            (limits(window: 10_000, unsent: 10_000), 0), (limits(window: 10_000, unsent: 70_000), 0),
            (limits(window: -5), 0), (limits(streamWindow: 1), 65_535), (limits(streamWindow: 0), 0),
        ] as [(FlowLimits, Int)])
    func limitsBytesToRemainingWindow(limits: FlowLimits, bytes: Int) {
        #expect(Self.state(.open).room(limits).bytes == bytes)
        #expect(Self.state(.open).room(limits).isEmpty == (bytes == 0))
    }

    @Test func allowsOneStreamUntilFirstAnswerWithToken() {
        var state = Self.state(.open, token: true)
        #expect(state.room(Self.limits()).streams == 1)
        #expect(state.room(Self.limits(open: 1)).streams == 0)
        #expect(state.room(Self.limits(maximum: 0)).streams == 0)
        state.answered()
        #expect(state.room(Self.limits()).streams == 1000)
        #expect(state.room(Self.limits(maximum: 1)).streams == 1, "the server's limit must still apply")
    }

    @Test func countsSettingsTimeoutFromConnectedChannel() {
        var state = Self.state(.connecting)
        #expect(state.tick(nowMilliseconds: 1_000_000, openStreams: 0) == .nothing, "connecting has its own timeout")
        state.connected(nowMilliseconds: 1_000_000)
        #expect(state.tick(nowMilliseconds: 1_009_999, openStreams: 0) == .nothing)
        #expect(state.tick(nowMilliseconds: 1_010_000, openStreams: 0) == .giveUp)
    }

    @Test func pingsEvery15SecondsWhileBusy() {
        var state = Self.state(.open)
        for now in stride(from: Int64(1_000), through: 14_000, by: 1_000) {
            state.received(nowMilliseconds: now)
            #expect(state.tick(nowMilliseconds: now, openStreams: 1) == .nothing)
        }
        #expect(state.tick(nowMilliseconds: 15_000, openStreams: 0) == .nothing, "no PING while the connection is idle")
        #expect(state.tick(nowMilliseconds: 15_000, openStreams: 1) == .ping)
        state.received(nowMilliseconds: 29_999)
        #expect(state.tick(nowMilliseconds: 29_999, openStreams: 1) == .nothing)
        #expect(state.tick(nowMilliseconds: 30_000, openStreams: 1) == .ping)
    }

    @Test(arguments: [ConnectionState.Phase.open, .draining], [(0, 900_000), (1, 10_000)] as [(Int, Int64)])
    func pingsSilentConnectionThenGivesUp(phase: ConnectionState.Phase, patience: (streams: Int, milliseconds: Int64)) {
        var state = Self.state(phase)
        let (streams, milliseconds) = patience
        #expect(state.tick(nowMilliseconds: milliseconds - 1, openStreams: streams) == .nothing)
        #expect(state.tick(nowMilliseconds: milliseconds, openStreams: streams) == .ping)
        #expect(
            state.tick(nowMilliseconds: milliseconds + 9999, openStreams: streams) == .nothing, "one PING at a time")
        #expect(state.tick(nowMilliseconds: milliseconds + 10_000, openStreams: streams) == .giveUp)
    }

    @Test func treatsReceivedDataAsAnswerToPing() {
        var state = Self.state(.open)
        #expect(state.tick(nowMilliseconds: 10_000, openStreams: 1) == .ping)
        state.received(nowMilliseconds: 15_000)
        #expect(state.tick(nowMilliseconds: 20_000, openStreams: 1) == .nothing)
        #expect(state.tick(nowMilliseconds: 24_999, openStreams: 1) == .nothing)
        #expect(state.tick(nowMilliseconds: 25_000, openStreams: 1) == .ping, "the silence counts from 15 s")
    }

    @Test func requestsNothingWhenClosed() {
        var state = Self.state(.closed)
        #expect(state.tick(nowMilliseconds: 10_000_000, openStreams: 9) == .nothing)
    }
}
