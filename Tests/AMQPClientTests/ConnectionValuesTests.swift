import AMQPClient
import Testing

@Suite("Heartbeat timer")
struct HeartbeatTimerTests {
    let start = ContinuousClock.now

    @Test("a heartbeat is due after half an interval without a write")
    func sendsHeartbeatAfterHalfInterval() {
        var timer = HeartbeatTimer(interval: .seconds(10), now: start)
        timer.received(at: start + .seconds(8))
        #expect(timer.action(at: start + .seconds(4.9)) == .nothing)
        #expect(timer.nextDeadline == start + .seconds(5))
        #expect(timer.action(at: start + .seconds(5)) == .send)
        timer.sent(at: start + .seconds(5))
        #expect(timer.action(at: start + .seconds(9.9)) == .nothing)
        #expect(timer.nextDeadline == start + .seconds(10))
    }

    @Test("a peer that is silent for two intervals is dead, regardless of writes")
    func detectsDeadPeerAfterTwoIntervals() {
        var timer = HeartbeatTimer(interval: .seconds(10), now: start)
        timer.sent(at: start + .seconds(19.5))
        #expect(timer.action(at: start + .seconds(19.9)) == .nothing)
        #expect(timer.nextDeadline == start + .seconds(20))
        #expect(timer.action(at: start + .seconds(20)) == .peerIsDead)
        timer.received(at: start + .seconds(20))
        timer.sent(at: start + .seconds(39))
        #expect(timer.action(at: start + .seconds(39.9)) == .nothing)
        #expect(timer.action(at: start + .seconds(40)) == .peerIsDead)
    }
}

@Suite("Connection life cycle")
struct ConnectionLifecycleTests {
    let error = AMQPError(.connectionFailed, "refused")

    @Test("hosts are tried in turn, with a wait after each failure")
    func triesHostsInTurnWithBackoff() {
        var lifecycle = ConnectionLifecycle(endpointCount: 2, mustConnectAtOnce: false)
        #expect(lifecycle.started() == .connect(endpoint: 0))
        #expect(fail(&lifecycle) == .wait(.milliseconds(500)))
        #expect(lifecycle.waited(isWanted: true) == .connect(endpoint: 1))
        #expect(fail(&lifecycle) == .wait(.seconds(1)))
        #expect(lifecycle.waited(isWanted: true) == .connect(endpoint: 0))
        lifecycle.connected()
        #expect(fail(&lifecycle, uptime: .seconds(60)) == .wait(.milliseconds(500)))
        #expect(lifecycle.waited(isWanted: true) == .connect(endpoint: 1))
    }

    @Test("the back-off restarts only after a connection that lasted as long as the longest wait")
    func restartsBackoffOnlyAfterLongConnection() {
        var lifecycle = ConnectionLifecycle(endpointCount: 1, mustConnectAtOnce: false)
        #expect((1...7).map { _ in fail(&lifecycle) } == [0.5, 1, 2, 4, 8, 16, 30].map { .wait(.seconds($0)) })
        #expect(fail(&lifecycle, uptime: .seconds(29)) == .wait(.seconds(30)))
        #expect(fail(&lifecycle, uptime: .seconds(30)) == .wait(.milliseconds(500)))
    }

    @Test("the life cycle ends if the connection is no longer wanted")
    func endsIfConnectionIsNoLongerWanted() {
        var lifecycle = ConnectionLifecycle(endpointCount: 1, mustConnectAtOnce: false)
        #expect(fail(&lifecycle, isWanted: false) == .end(nil))
        #expect(lifecycle.waited(isWanted: false) == .end(nil))
    }

    @Test("connecting once tries each host once and reports the last failure; later losses are recovered")
    func triesEachHostOnceIfConnectingOnce() {
        var lifecycle = ConnectionLifecycle(endpointCount: 2, mustConnectAtOnce: true)
        #expect(lifecycle.started() == .connect(endpoint: 0))
        #expect(fail(&lifecycle) == .connect(endpoint: 1))
        #expect(fail(&lifecycle) == .end(error))

        var connected = ConnectionLifecycle(endpointCount: 1, mustConnectAtOnce: true)
        connected.connected()
        #expect(fail(&connected) == .wait(.milliseconds(500)))
    }

    private func fail(
        _ lifecycle: inout ConnectionLifecycle, uptime: Duration = .zero, isWanted: Bool = true
    ) -> ConnectionLifecycle.Action {
        lifecycle.failed(error, uptime: uptime, isWanted: isWanted, random: 1)
    }
}
