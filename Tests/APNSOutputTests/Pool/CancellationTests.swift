import APNSOutput
import APNSSimulator
import NIOCore
import PushModel
import PushTestSupport
import TestSupport
import Testing
import WireTestSupport

/// What becomes of the pushes of a job that is cancelled while it is being sent.
@Suite struct CancellationTests {
    private func job(_ id: String, to tokens: [String], payloadBytes: Int = 30) throws -> Job {
        let list = tokens.map { "\"\($0)\"" }.joined(separator: ",")
        let text = String(repeating: "x", count: payloadBytes - 20)
        return try Job.sample(
            recipients: "[\(list)]", payload: #"{"aps":{"alert":"\#(text)"}}"#, #""id":"\#(id)""#)
    }

    @Test func whatIsNotOnTheWireIsNotSent() async throws {
        let simulator = try await WireFixture.startedSimulator { $0.streamLimit = 5 }
        let fixture = try WireFixture(simulator)
        try fixture.register(at: simulator)
        #expect(try await fixture.push() == "sent -")
        try fixture.send(try job("campaign", to: WireFixture.tokens(3_000, "de1ade1a0500")))
        try fixture.send(try job("other", to: WireFixture.tokens(20, "0a")))
        try await eventually("some are on the wire") { await simulator.counters().arrivals > 1 }
        // Handed in at the same moment.
        try fixture.send(try job("campaign", to: WireFixture.tokens(1_000, "0b")))
        fixture.output.cancel { $0 == "campaign" }
        await fixture.recorder.wait(for: 4_021, atMost: .seconds(60))
        let cancelled = fixture.tally["failed Cancelled"] ?? 0
        #expect(cancelled >= 3_900 && fixture.tally == ["failed Cancelled": cancelled, "sent": 4_021 - cancelled])
        #expect(fixture.surplusOutcomes == 0)
        #expect(await simulator.counters().arrivals == 4_021 - cancelled, "no more than were sent")
        #expect(fixture.tokens(.sent).isSuperset(of: WireFixture.tokens(20, "0a")))
        // It may be published again, when the cancellation has been taken back.
        try fixture.send(try job("campaign", to: WireFixture.tokens(1, "0c")))
        await fixture.recorder.wait(for: 4_022, atMost: .seconds(60))
        #expect(fixture.tokens(.sent).isSuperset(of: WireFixture.tokens(1, "0c")))
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func whatComesBackFromTheWireIsNotSentAgain() async throws {
        let simulator = try await WireFixture.startedSimulator()
        let fixture = WireFixture([try .init(ipAddress: "127.0.0.1", port: simulator.port)], maximumConnections: 1)
        try fixture.register(at: simulator)
        #expect(try await fixture.push() == "sent -")
        try fixture.send(try job("campaign", to: WireFixture.tokens(10, "de1ade1a9000")))
        try await eventually("ten on the wire") { await simulator.counters().arrivals == 11 }
        fixture.output.cancel { $0 == "campaign" }
        // Streams 1 to 11: the first push and five of the slow ones.
        await simulator.sendGoAway(GoAwayFault(lastStreamID: 11, reason: "Shutdown"))
        await fixture.recorder.wait(for: 11, atMost: .seconds(60))
        #expect(fixture.tally == ["sent": 6, "failed Cancelled": 5])
        #expect(await simulator.counters().arrivals == 11)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    /// A request waits for window, its last bytes with us: it is taken back.
    @Test func whatHasLeftInPartIsTakenBack() async throws {
        let server = TestServer { $0.holdsAnswers = true }
        let address = try await server.start()
        let fixture = WireFixture([address], maximumConnections: 1)
        try fixture.send(to: WireFixture.tokens(1))
        try await eventually("the first push") { try await server.withConnections { $0.first?.whole.count } == 1 }
        try fixture.send(try job("campaign", to: WireFixture.tokens(100), payloadBytes: 4_000))
        try await server.withConnections { try $0[0].answer(1) }
        try await eventually("a full window") { try await server.withConnections { $0[0].bodyBytes } == 65_535 }
        fixture.output.cancel { $0 == "campaign" }
        // 16 are whole; of the seventeenth a part has left, which is no request.
        await fixture.recorder.wait(for: 1 + 84, atMost: .seconds(60))
        #expect(fixture.tally == ["sent": 1, "failed Cancelled": 84])
        try await server.withConnections { connections in
            for stream in connections[0].whole.dropFirst() { try connections[0].answer(stream) }
        }
        await fixture.recorder.wait(for: 101, atMost: .seconds(60))
        #expect(fixture.tally == ["sent": 17, "failed Cancelled": 84])
        #expect(try await server.withConnections { $0[0].whole.count } == 17)
        await fixture.output.shutDown()
        try await server.stop()
    }

    /// Of the shutting down itself: nobody waits for answers any more.
    @Test func aShutDownThatIsCancelledGivesUpWhatIsOnTheWire() async throws {
        let simulator = try await WireFixture.startedSimulator()
        let fixture = try WireFixture(simulator) { $0.requestTimeoutSeconds = 600 }
        try fixture.register(at: simulator)
        #expect(try await fixture.push() == "sent -")
        try fixture.send(to: WireFixture.tokens(10, "deafdeaf"))
        try await eventually("they are on the wire") { await simulator.counters().arrivals == 11 }
        fixture.output.stopSending()
        let shutDown = Task { await fixture.output.shutDown() }
        shutDown.cancel()
        try await eventually("it is closed") { await simulator.counters().openConnections == 0 }
        await shutDown.value
        await fixture.recorder.wait(for: 11, atMost: .seconds(60))
        #expect(fixture.tally == ["sent": 1, "unknown ConnectionLost": 10])
        await simulator.stop()
    }
}
