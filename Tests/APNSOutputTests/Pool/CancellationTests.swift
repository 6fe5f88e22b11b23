import APNSOutput
import APNSSimulator
import NIOCore
import PushModel
import PushTestSupport
import TestSupport
import Testing
import WireTestSupport

/// Cancellation of a job while its pushes are being sent.
@Suite struct CancellationTests {
    private func job(_ id: String, to tokens: [String], payloadBytes: Int = 30) throws -> Job {
        let list = tokens.map { "\"\($0)\"" }.joined(separator: ",")
        let text = String(repeating: "x", count: payloadBytes - 20)
        return try Job.sample(
            recipients: "[\(list)]", payload: #"{"aps":{"alert":"\#(text)"}}"#, #""id":"\#(id)""#)
    }

    @Test func failsUnsentPushesAsCancelled() async throws {
        let simulator = try await WireFixture.startedSimulator { $0.streamLimit = 5 }
        let fixture = try WireFixture(simulator)
        try fixture.register(at: simulator)
        #expect(try await fixture.push() == "sent -")
        try fixture.send(try job("campaign", to: WireFixture.tokens(3_000, "de1ade1a0500")))
        try fixture.send(try job("other", to: WireFixture.tokens(20, "0a")))
        try await eventually("some pushes on the wire") { await simulator.counters().arrivals > 1 }
        // A second job with the same id, sent just before the cancellation.
        try fixture.send(try job("campaign", to: WireFixture.tokens(1_000, "0b")))
        fixture.output.cancel { $0 == "campaign" }
        await fixture.recorder.wait(for: 4_021)
        let cancelled = fixture.tally["failed Cancelled"] ?? 0
        #expect(cancelled >= 3_900 && fixture.tally == ["failed Cancelled": cancelled, "sent": 4_021 - cancelled])
        #expect(fixture.surplusOutcomes == 0)
        #expect(await simulator.counters().arrivals == 4_021 - cancelled, "only pushes reported as sent may arrive")
        #expect(fixture.tokens(.sent).isSuperset(of: WireFixture.tokens(20, "0a")))
        // The job may be published again after its cancellation is withdrawn.
        try fixture.send(try job("campaign", to: WireFixture.tokens(1, "0c")))
        await fixture.recorder.wait(for: 4_022)
        #expect(fixture.tokens(.sent).isSuperset(of: WireFixture.tokens(1, "0c")))
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func doesNotResendCancelledPushesAfterGoAway() async throws {
        let simulator = try await WireFixture.startedSimulator()
        let fixture = WireFixture([try .init(ipAddress: "127.0.0.1", port: simulator.port)], maximumConnections: 1)
        try fixture.register(at: simulator)
        #expect(try await fixture.push() == "sent -")
        try fixture.send(try job("campaign", to: WireFixture.tokens(10, "de1ade1a9000")))
        try await eventually("10 pushes of the job on the wire") { await simulator.counters().arrivals == 11 }
        fixture.output.cancel { $0 == "campaign" }
        // Streams 1 to 11 carry the first push and five of the slow pushes.
        await simulator.sendGoAway(GoAwayFault(lastStreamID: 11, reason: "Shutdown"))
        await fixture.recorder.wait(for: 11)
        #expect(fixture.tally == ["sent": 6, "failed Cancelled": 5])
        #expect(await simulator.counters().arrivals == 11)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    /// A request whose last bytes still wait for the flow-control window is cancelled.
    @Test func cancelsPartlySentRequests() async throws {
        let server = TestServer { $0.holdsAnswers = true }
        let address = try await server.start()
        let fixture = WireFixture([address], maximumConnections: 1)
        try fixture.send(to: WireFixture.tokens(1))
        try await eventually("the first push received") {
            try await server.withConnections { $0.first?.whole.count } == 1
        }
        try fixture.send(try job("campaign", to: WireFixture.tokens(100), payloadBytes: 4_000))
        try await server.withConnections { try $0[0].answer(1) }
        try await eventually("a full window of body bytes") {
            try await server.withConnections { $0[0].bodyBytes } == 65_535
        }
        fixture.output.cancel { $0 == "campaign" }
        // 16 requests are complete. The 17th is only partly sent, so the server cannot have processed it.
        await fixture.recorder.wait(for: 1 + 84)
        #expect(fixture.tally == ["sent": 1, "failed Cancelled": 84])
        try await server.withConnections { connections in
            for stream in connections[0].whole.dropFirst() { try connections[0].answer(stream) }
        }
        await fixture.recorder.wait(for: 101)
        #expect(fixture.tally == ["sent": 17, "failed Cancelled": 84])
        #expect(try await server.withConnections { $0[0].whole.count } == 17)
        await fixture.output.shutDown()
        try await server.stop()
    }

    /// If the task that shuts down the output is cancelled, the output stops waiting for answers.
    @Test func abandonsOpenRequestsWhenShutdownIsCancelled() async throws {
        let simulator = try await WireFixture.startedSimulator()
        let fixture = try WireFixture(simulator) { $0.requestTimeoutSeconds = 600 }
        try fixture.register(at: simulator)
        #expect(try await fixture.push() == "sent -")
        try fixture.send(to: WireFixture.tokens(10, "deafdeaf"))
        try await eventually("all pushes on the wire") { await simulator.counters().arrivals == 11 }
        fixture.output.stopSending()
        let shutDown = Task { await fixture.output.shutDown() }
        shutDown.cancel()
        try await eventually("the connection closed") { await simulator.counters().openConnections == 0 }
        await shutDown.value
        await fixture.recorder.wait(for: 11)
        #expect(fixture.tally == ["sent": 1, "unknown ConnectionLost": 10])
        await simulator.stop()
    }
}
