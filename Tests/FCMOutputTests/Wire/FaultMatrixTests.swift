import FCMOutput
import FCMSimulator
import PushModel
import PushTestSupport
import TestSupport
import Testing

/// Bad days: every recipient is told once, and both sides count the same.
@Suite struct FaultMatrixTests {
    /// Each recipient has one outcome, and what was sent came in once.
    private func expectCounts(_ fixture: FCMFixture, _ simulator: FCMSimulator, _ count: Int) {
        let outcomes = fixture.recorder.outcomes
        #expect(outcomes.count == count)
        #expect(simulator.recordedAcceptances.values.reduce(0, +) == outcomes.count { $0.verdict == .sent })
        #expect(simulator.recordedAcceptances.values.allSatisfy { $0 == 1 })
        #expect(simulator.violations.isEmpty, "\(simulator.violations.prefix(3))")
    }

    @Test func theLimitOfStreamsIsKept() async throws {
        let simulator = try await FCMSimulator.started()
        let fixture = try FCMFixture(simulator)
        try fixture.send(to: FCMFixture.tokens(3_000))
        await fixture.recorder.wait(for: 3_000, atMost: .seconds(60))
        #expect(fixture.tally == ["sent": 3_000])
        let counters = await simulator.counters()
        #expect(counters.mostOpenStreams <= 100 && counters.others?["exceeded_max_concurrent_streams"] == nil)
        expectCounts(fixture, simulator, 3_000)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func whatIsAboveTheLastStreamGoesElsewhere() async throws {
        let simulator = try await FCMSimulator.started { $0.requestsBeforeShutdown = 150 }
        let fixture = try FCMFixture(simulator)
        try fixture.send(to: FCMFixture.tokens(2_000))
        await fixture.recorder.wait(for: 2_000, atMost: .seconds(60))
        #expect(fixture.tally == ["sent": 2_000])
        expectCounts(fixture, simulator, 2_000)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func refusedStreamsAreSentAgain() async throws {
        let simulator = try await FCMSimulator.started()
        let fixture = try FCMFixture(simulator)
        _ = try await fixture.push()
        simulator.refuseStreams(300)
        try fixture.send(to: FCMFixture.tokens(999))
        await fixture.recorder.wait(for: 1_000, atMost: .seconds(60))
        #expect(fixture.recorder.outcomes.allSatisfy { $0.verdict == .sent || $0.reason == "StreamRefused" })
        expectCounts(fixture, simulator, 1_000)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func anIdleConnectionIsOpenedAnew() async throws {
        let simulator = try await FCMSimulator.started { $0.idleTime = 3_000 }
        let fixture = try FCMFixture(simulator)
        _ = try await fixture.push(#""a:APA91b""#)
        try await eventually("the end of the idle connection") { await simulator.counters().openConnections == 0 }
        #expect(try await fixture.push(#""b:APA91b""#)?.verdict == .sent)
        let counters = await simulator.counters()
        #expect(counters.others?["too_many_pings"] == nil && (counters.others?["session_timed_out"] ?? 0) >= 1)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func silenceIsUnknown() async throws {
        let simulator = try await FCMSimulator.started()
        let fixture = try FCMFixture(simulator) { $0.requestTimeoutSeconds = 15 }
        _ = try await fixture.push(#""a:APA91b""#)
        await simulator.setFaults { $0.silence = .answers }
        try fixture.send(to: FCMFixture.tokens(50))
        await fixture.recorder.wait(for: 51, atMost: .seconds(60))
        #expect(fixture.tally == ["sent": 1, "unknown RequestTimeout": 50])
        await simulator.setFaults { _ in }
        #expect(try await fixture.push(#""z:APA91b""#)?.verdict == .sent)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func aCutIsUnknownForWhatWasWritten() async throws {
        let simulator = try await FCMSimulator.started()
        let fixture = try FCMFixture(simulator) { $0.maximumConnections = 1 }
        _ = try await fixture.push(#""a:APA91b""#)
        await simulator.setFaults { $0.silence = .answers }
        try fixture.send(to: FCMFixture.tokens(500))
        try await eventually("100 requests") { await simulator.counters().openStreams >= 90 }
        await simulator.setFaults { _ in }
        await simulator.cutConnections()
        await fixture.recorder.wait(for: 501, atMost: .seconds(60))
        let unknown = fixture.tally["unknown ConnectionLost"] ?? 0
        #expect((90...100).contains(unknown) && fixture.tally["sent"] == 501 - unknown, "\(fixture.tally)")
        expectCounts(fixture, simulator, 501)
        await fixture.output.shutDown()
        await simulator.stop()
    }
}
