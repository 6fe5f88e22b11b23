import APNSOutput
import APNSSimulator
import HTTP2Session
import NIOCore
import PushTestSupport
import TestSupport
import Testing
import WireTestSupport

/// Stream limits and flow-control windows, with a server whose limits and window updates the test controls.
@Suite struct FlowControlTests {
    @Test func sendsOnlyWhatConnectionWindowAllows() async throws {
        let server = TestServer { $0.holdsAnswers = true }
        let address = try await server.start()
        let fixture = WireFixture([address], maximumConnections: 1)
        try fixture.send(to: WireFixture.tokens(1))
        // Only one push is sent until the provider token is accepted. The server does not restore the window that this
        // push used.
        try await eventually("the first push received") {
            try await server.withConnections { $0.first?.whole.count } == 1
        }
        try fixture.send(to: WireFixture.tokens(100), payloadBytes: 4_000)
        try await server.withConnections { try $0[0].answer(1) }
        try await eventually("a full window of body bytes") {
            try await server.withConnections { $0[0].bodyBytes } == 65_535
        }
        let (began, whole) = try await server.withConnections { ($0[0].began.count, $0[0].whole.count) }
        // 30 + 16 × 4,000 bytes are complete requests. The next request is partly sent.
        #expect(whole == 17)
        #expect(began == 18)

        // Complete requests may have been accepted. Incomplete requests were not, so they are sent on a new connection.
        try await server.withConnections { connections in
            for connection in connections { connection.channel?.close(promise: nil) }
        }
        try await eventually("a second connection") { try await server.withConnections { $0.count } == 2 }
        try await server.withConnections { connections in
            connections[1].holdsAnswers = false
            for stream in connections[1].whole { try connections[1].answer(stream) }
            for stream in connections[1].began { try connections[1].session.consume(4_000, stream: stream) }
        }
        await fixture.recorder.wait(for: 101)
        #expect(fixture.tally == ["sent": 85, "unknown ConnectionLost": 16])
        await fixture.output.shutDown()
        try await server.stop()
    }

    @Test func sendsBodyLargerThanStreamWindow() async throws {
        let server = TestServer(settings: HTTP2Settings(initialWindowSize: 100))
        let address = try await server.start()
        let fixture = WireFixture([address])
        try fixture.send(to: WireFixture.tokens(50), payloadBytes: 4_000)
        await fixture.recorder.wait(for: 50)
        #expect(fixture.tally == ["sent": 50])
        await fixture.output.shutDown()
        try await server.stop()
    }

    @Test func pausesSendingWhileStreamWindowIsZero() async throws {
        let server = TestServer()
        let address = try await server.start()
        let fixture = WireFixture([address], maximumConnections: 1)
        try fixture.send(to: WireFixture.tokens(10))
        await fixture.recorder.wait(for: 10)
        try await server.withConnections { try $0[0].session.changeSettings(HTTP2Settings(initialWindowSize: 0)) }
        // Requests that were sent before the change arrives are complete. No request begins after the change.
        try await roundTrip(server)
        try fixture.send(to: WireFixture.tokens(500))
        try await roundTrip(server)
        let began = try await server.withConnections { $0[0].began.count }
        #expect(began == 10, "pushes must wait in the pool, not on streams without a window")
        try await server.withConnections { try $0[0].session.changeSettings(HTTP2Settings(initialWindowSize: 65_535)) }
        await fixture.recorder.wait(for: 510)
        #expect(fixture.tally == ["sent": 510])
        await fixture.output.shutDown()
        try await server.stop()
    }

    @Test func obeysReducedStreamLimitUnderLoad() async throws {
        let simulator = try await WireFixture.startedSimulator { $0.streamLimit = 50 }
        let fixture = WireFixture([try .init(ipAddress: "127.0.0.1", port: simulator.port)], maximumConnections: 1)
        try fixture.register(at: simulator)
        try fixture.send(to: WireFixture.tokens(1_000, "de1ade1a0100"))
        try await eventually("at least 45 open streams") { await simulator.counters().mostOpenStreams >= 45 }
        await simulator.changeStreamLimit(to: 1)
        try await eventually("at most one open stream") { await simulator.counters().openStreams <= 1 }
        let before = await simulator.counters().arrivals
        #expect(before < 1_000, "all pushes arrived before the limit changed")
        try await eventually("five more arrivals, one at a time") {
            let counters = await simulator.counters()
            #expect(counters.openStreams <= 1)
            return counters.arrivals >= before + 5
        }
        await simulator.changeStreamLimit(to: 50)
        await fixture.recorder.wait(for: 1_000)
        #expect(fixture.tally == ["sent": 1_000])
        #expect(simulator.recordedArrivals.values.allSatisfy { $0 == 1 }, "no stream may be refused")
        #expect(await simulator.counters().connections == 1)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    /// Sends a PING from the server and waits for its answer, so that the output has processed all earlier frames.
    private func roundTrip(_ server: TestServer) async throws {
        let before = try await server.withConnections { connections in
            try connections[0].session.ping(1)
            return connections[0].pings
        }
        try await eventually("the answer to a PING") { try await server.withConnections { $0[0].pings } > before }
    }
}
