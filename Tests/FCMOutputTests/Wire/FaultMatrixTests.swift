import FCMOutput
import FCMSimulator
import PushModel
import PushTestSupport
import TestSupport
import Testing

/// Connection faults. Each recipient gets exactly one outcome, and output and simulator count the same messages.
@Suite struct FaultMatrixTests {
    /// Checks that each recipient has one outcome, and that the simulator accepted each sent message once.
    private func expectCounts(_ fixture: FCMFixture, _ simulator: SimulatedFCM, _ count: Int) {
        let outcomes = fixture.recorder.outcomes
        #expect(outcomes.count == count)
        #expect(simulator.recordedAcceptances.values.reduce(0, +) == outcomes.count { $0.verdict == .sent })
        #expect(simulator.recordedAcceptances.values.allSatisfy { $0 == 1 })
        #expect(simulator.violations.isEmpty, "\(simulator.violations.prefix(3))")
    }

    @Test func staysWithinStreamLimit() async throws {
        let simulator = try await SimulatedFCM.started()
        let fixture = try FCMFixture(simulator)
        try fixture.send(to: FCMFixture.tokens(3_000))
        await fixture.recorder.wait(for: 3_000)
        #expect(fixture.tally == ["sent": 3_000])
        let counters = await simulator.counters()
        #expect(counters.mostOpenStreams <= 100 && counters.others?["exceeded_max_concurrent_streams"] == nil)
        expectCounts(fixture, simulator, 3_000)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func resendsStreamsAboveLastStreamOfGoAway() async throws {
        let simulator = try await SimulatedFCM.started { $0.requestsBeforeShutdown = 150 }
        let fixture = try FCMFixture(simulator)
        try fixture.send(to: FCMFixture.tokens(2_000))
        await fixture.recorder.wait(for: 2_000)
        #expect(fixture.tally == ["sent": 2_000])
        expectCounts(fixture, simulator, 2_000)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func resendsRefusedStreams() async throws {
        let simulator = try await SimulatedFCM.started()
        let fixture = try FCMFixture(simulator)
        _ = try await fixture.push()
        simulator.refuseStreams(300)
        try fixture.send(to: FCMFixture.tokens(999))
        await fixture.recorder.wait(for: 1_000)
        #expect(fixture.recorder.outcomes.allSatisfy { $0.verdict == .sent || $0.reason == "StreamRefused" })
        expectCounts(fixture, simulator, 1_000)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func reconnectsAfterIdleConnectionIsClosed() async throws {
        let simulator = try await SimulatedFCM.started { $0.idleTime = 3_000 }
        let fixture = try FCMFixture(simulator)
        _ = try await fixture.push(#""a:APA91b""#)
        try await eventually("the idle connection is closed") { await simulator.counters().openConnections == 0 }
        #expect(try await fixture.push(#""b:APA91b""#)?.verdict == .sent)
        let counters = await simulator.counters()
        #expect(counters.others?["too_many_pings"] == nil && (counters.others?["session_timed_out"] ?? 0) >= 1)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func reportsUnknownOnRequestTimeout() async throws {
        let simulator = try await SimulatedFCM.started()
        let fixture = try FCMFixture(simulator) { $0.requestTimeoutSeconds = 15 }
        _ = try await fixture.push(#""a:APA91b""#)
        await simulator.setFaults { $0.silence = .answers }
        try fixture.send(to: FCMFixture.tokens(50))
        await fixture.recorder.wait(for: 51)
        #expect(fixture.tally == ["sent": 1, "unknown RequestTimeout": 50])
        await simulator.setFaults { _ in }
        #expect(try await fixture.push(#""z:APA91b""#)?.verdict == .sent)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func reportsUnknownForMessagesOnCutConnection() async throws {
        let simulator = try await SimulatedFCM.started()
        let fixture = try FCMFixture(simulator) { $0.maximumConnections = 1 }
        _ = try await fixture.push(#""a:APA91b""#)
        await simulator.setFaults { $0.silence = .answers }
        try fixture.send(to: FCMFixture.tokens(500))
        try await eventually("at least 90 requests are on the wire") { await simulator.counters().openStreams >= 90 }
        await simulator.setFaults { _ in }
        await simulator.cutConnections()
        await fixture.recorder.wait(for: 501)
        let unknown = fixture.tally["unknown ConnectionLost"] ?? 0
        #expect((90...100).contains(unknown) && fixture.tally["sent"] == 501 - unknown, "\(fixture.tally)")
        expectCounts(fixture, simulator, 501)
        await fixture.output.shutDown()
        await simulator.stop()
    }
}
