import APNSOutput
import HTTP2Session
import NIOCore
import PushTestSupport
import TestSupport
import Testing
import WireTestSupport
import Foundations

/// GOAWAY as in RFC 9113, section 6.8, over TLS.
@Suite struct GoAwayTests {
    @Test(arguments: [false, true])
    func resendsOnlyUnprocessedPushesOnReplacementConnection(twoSteps: Bool) async throws {
        // The server holds its answers until the test releases them, so that the test can first check the connections.
        let server = TestServer { $0.holdsAnswers = true }
        let address = try await server.start()
        // A connection that is closing does not count towards this limit.
        let fixture = WireFixture([address], maximumConnections: 1)
        func arrived(_ count: Int, on connection: Int) async throws {
            try await eventually("\(count) requests on connection \(connection)") {
                try await server.withConnections { $0.count == connection + 1 && $0[connection].whole.count == count }
            }
        }
        try fixture.send(to: WireFixture.tokens(11))
        try await arrived(1, on: 0)
        try await server.withConnections { try $0[0].answer(1) }
        try await arrived(11, on: 0)
        if twoSteps {
            try await server.withConnections {
                try $0[0].session.announceGoAway()
                try $0[0].session.ping(1)
            }
            try await eventually("the announcement received by the output") {
                try await server.withConnections { $0[0].pings == 1 }
            }
        }
        // Streams 1 to 11 carry the first push and five of the other pushes.
        try await server.withConnections { try $0[0].session.goAway(lastStreamID: 11) }
        // Only one push is sent at first, because each connection must prove the provider token again.
        try await arrived(1, on: 1)
        #expect(try await server.withConnections { !$0[0].isClosed }, "the old connection must wait for its answers")
        try await server.withConnections { connections in
            for stream: Int32 in [3, 5, 7, 9, 11] { try connections[0].answer(stream) }
            connections[1].holdsAnswers = false
            try connections[1].answer(1)
        }
        await fixture.recorder.wait(for: 11)
        #expect(fixture.tally == ["sent": 11])
        #expect(fixture.surplusOutcomes == 0)
        try await eventually("the old connection closed") {
            try await server.withConnections { $0.map(\.isClosed) == [true, false] }
        }
        #expect(try await server.withConnections { $0.map(\.whole.count) } == [11, 5])
        await fixture.output.shutDown()
        try await server.stop()
    }

    @Test func backsOffFromServerThatLeavesAfterFirstAnswer() async throws {
        let attempts = Mutex(0)
        let server = TestServer { connection in
            let number = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            connection.leavesAfterFirst = number <= 10
        }
        let address = try await server.start()
        let fixture = WireFixture([address], maximumConnections: 1)
        let start = ContinuousClock.now
        try fixture.send(to: WireFixture.tokens(20))
        await fixture.recorder.wait(for: 20)
        // Eight connections are opened at once, and the 9th to 11th at intervals of one second.
        #expect(ContinuousClock.now - start >= .milliseconds(2_900))
        #expect(attempts.withLock { $0 } == 11)
        #expect(fixture.tally == ["sent": 20])
        await fixture.output.shutDown()
        try await server.stop()
    }

    @Test func backsOffFromServerThatRejectsConnections() async throws {
        let attempts = Mutex(0)
        let server = TestServer { connection in
            let number = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            connection.turnsAway = number < 4
        }
        let address = try await server.start()
        let fixture = WireFixture([address])
        let start = ContinuousClock.now
        try fixture.send(to: WireFixture.tokens(1))
        await fixture.recorder.wait(for: 1)
        // The three back-offs take at least a tenth of 1 s, 2 s and 4 s.
        #expect(ContinuousClock.now - start >= .milliseconds(700))
        #expect(fixture.tally == ["sent": 1])
        #expect(attempts.withLock { $0 } == 4)
        await fixture.output.shutDown()
        try await server.stop()
    }
}
