import HTTP2Pool
import HTTP2Session
import NIOCore
import NIOPosix
import NIOSSL
import TestSupport
import Testing
import WireTestSupport

/// A pool and a client that knows nothing of push, at a real server.
@Suite struct ConnectionPoolTests {
    @Test func noMoreStreamsAreOpenedThanTheServiceBears() async throws {
        let server = TestServer(settings: HTTP2Settings(maxConcurrentStreams: 1_000)) { $0.holdsAnswers = true }
        let fixture = try PoolFixture(at: try await server.start(), requests: 1_000) { $0.maximumStreams = 100 }
        try await fixture.start()
        try await eventually("a hundred are open") {
            try await server.withConnections { $0.first?.whole.count } == 100
        }
        // What the server takes for more, it would have by now: they leave in one write.
        try await server.withConnections { connections in
            for stream in connections[0].whole { try connections[0].answer(stream) }
        }
        try await eventually("the next hundred") { try await server.withConnections { $0[0].whole.count } == 200 }
        #expect(try await fixture.look { $0.ends } == ["200": 100])
        try await fixture.close()
        try await server.stop()
    }

    @Test func poolsShareALimit() async throws {
        let server = TestServer { $0.holdsAnswers = true }
        let address = try await server.start()
        let limit = SharedConnectionLimit(2)
        let pools = try (0..<3).map { _ in
            try PoolFixture(at: address, requests: 1) {
                $0.sharedLimit = limit
                $0.idleSeconds = 0
                $0.keepsLast = false
            }
        }
        for pool in pools { try await pool.start() }
        try await eventually("two have sent") {
            try await server.withConnections { $0.map(\.whole.count) } == [1, 1]
        }
        #expect(limit.take(upTo: 1, beside: 0, nowMilliseconds: 0) == 0)
        try await server.withConnections { for connection in $0 { try connection.answer(1) } }
        try await eventually("the third has the place of one that is idle") {
            try await server.withConnections { $0.count == 3 && $0[2].whole.count == 1 }
        }
        for pool in pools { try await pool.close() }
        let places = (0..<3).map { _ in limit.take(upTo: 1, beside: 0, nowMilliseconds: 0) }
        #expect(places == [1, 1, 0], "all places are released, each once")
        try await server.stop()
    }

    /// The status says that it was accepted.
    @Test func anAnswerThatIsResetAfterItsStatusIsOne() async throws {
        let server = TestServer { $0.holdsAnswers = true }
        let fixture = try PoolFixture(at: try await server.start(), requests: 1)
        try await fixture.start()
        try await eventually("it is there") { try await server.withConnections { $0.first?.whole } == [1] }
        try await server.withConnections { connections in
            // HEADERS of stream 1 with `:status` 200 and not its end, and RST_STREAM (RFC 9113, section 6).
            let frames: [UInt8] = [0, 0, 1, 1, 4, 0, 0, 0, 1, 0x88, 0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 2]
            connections[0].channel?.writeAndFlush(ByteBuffer(bytes: frames), promise: nil)
        }
        try await eventually("it ends") { try await !fixture.look { $0.ends.isEmpty } }
        #expect(try await fixture.look { $0.ends } == ["200, cut": 1])
        try await fixture.close()
        try await server.stop()
    }

    /// Whether it still leads anywhere, nothing would tell.
    @Test func withoutPingsTheLastConnectionIsNotKept() async throws {
        let server = TestServer()
        let fixture = try PoolFixture(at: try await server.start(), requests: 1) {
            $0.sendsPings = false
            $0.keepsLast = false
            $0.idleSeconds = 0
        }
        try await fixture.start()
        try await eventually("it is closed") {
            try await server.withConnections { $0.count == 1 && $0[0].isClosed }
        }
        #expect(try await fixture.look { $0.ends } == ["200": 1])
        try await fixture.close()
        try await server.stop()
    }

    /// A connection that came too late to be needed is closed, which is no failure: the next is made at once.
    @Test func aConnectionThatWasNotNeededIsNoFailure() async throws {
        let server = TestServer()
        let fixture = try PoolFixture(at: try await server.start(), requests: 0) {
            $0.sendsPings = false
            $0.keepsLast = false
            $0.idleSeconds = 0
        }
        for round in 1...2 {
            try await fixture.pool.eventLoop.submit {
                fixture.client.request(1)
                fixture.pool.scheduleTurn()
                // After that turn, and before anything comes.
                fixture.pool.eventLoop.execute { fixture.client.request(-1) }
            }.get()
            try await eventually("it is made, and closed") {
                try await server.withConnections { $0.count == round && $0[round - 1].isClosed }
            }
        }
        try await fixture.close()
        try await server.stop()
    }

    @Test func whatIsTurnedAwayIsSentAgainAndEndsOnce() async throws {
        let server = TestServer { connection in
            connection.turnsAway = connection.number == 0
            connection.leavesAfterFirst = connection.number == 1
        }
        let fixture = try PoolFixture(at: try await server.start(), requests: 20)
        try await fixture.start()
        try await eventually("all are answered", within: .seconds(60)) {
            try await fixture.look { $0.ends["200"] } == 20
        }
        #expect(try await fixture.look { $0.ended.values.allSatisfy { $0 == 1 } }, "each request ends once")
        #expect(try await fixture.look { $0.ends.keys.sorted() } == ["200", "unprocessed"])
        try await fixture.close()
        try await server.stop()
    }

    @Test func aVerdictReplacesTheConnection() async throws {
        let server = TestServer()
        let fixture = try PoolFixture(at: try await server.start(), requests: 1, verdict: .replace)
        try await fixture.start()
        try await eventually("its connection is closed") {
            try await server.withConnections { $0.count == 1 && $0[0].isClosed }
        }
        #expect(try await fixture.look { $0.ends } == ["200": 1])
        try await fixture.close()
        try await server.stop()
    }

    @Test func abandonedRequestsAreLost() async throws {
        let server = TestServer { $0.holdsAnswers = true }
        let fixture = try PoolFixture(at: try await server.start(), requests: 5)
        try await fixture.start()
        try await eventually("they are there") { try await server.withConnections { $0.first?.whole.count } == 5 }
        try await fixture.pool.eventLoop.submit { fixture.pool.abandon() }.get()
        #expect(try await fixture.look { $0.ends } == ["lost, connectionLost(nil)": 5])
        #expect(try await fixture.look { $0.waiting } == 0)
        try await fixture.close()
        try await server.stop()
    }

    @Test func whereNobodyListensThereIsNoConnection() async throws {
        let refusing = try RefusingPort()
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: refusing.port)
        let fixture = try PoolFixture(at: address, requests: 1)
        try await fixture.start()
        try await eventually("it is told") { try await fixture.look { $0.ends["no connection"] ?? 0 } > 0 }
        #expect(try await fixture.look { $0.waiting } == 1, "nothing has become of the request")
        try await fixture.close()
    }
}

/// One request, and nothing kept of it.
@Suite struct SingleRequestTests {
    private func ask(
        _ address: SocketAddress, timeout: Int = 30, _ change: (inout PoolConfiguration) -> Void = { _ in }
    ) async throws -> SingleRequest.Answer {
        let configuration = PoolFixture.configuration(at: address) {
            $0.requestTimeoutSeconds = timeout
            change(&$0)
        }
        return try await SingleRequest.perform(
            fields: try PoolFixture.fields("GET", authority: configuration.endpoint.authority), path: "/one",
            body: HTTP2Body([]), with: configuration, on: MultiThreadedEventLoopGroup.singleton.next())
    }

    @Test func itIsAnsweredAndItsConnectionClosed() async throws {
        let server = TestServer()
        #expect(try await ask(try await server.start()).status == 200)
        try await eventually("closed") { try await server.withConnections { $0.map(\.isClosed) } == [true] }
        try await server.stop()
    }

    /// The answer to what is on the wire comes, whatever GOAWAY says.
    @Test func wordsOfFarewellAreNoRefusal() async throws {
        let server = TestServer { $0.leavesBeforeFirst = true }
        #expect(try await ask(try await server.start()).status == 200)
        try await server.stop()
    }

    @Test func aResetIsToldAsOne() async throws {
        let server = TestServer { $0.resets = true }
        let address = try await server.start()
        await #expect { _ = try await ask(address) } throws: { "\($0)".contains("the request was reset") }
        try await server.stop()
    }

    /// In whatever order the addresses of a name are tried.
    @Test func whatAServerDidIsToldRatherThanThatNobodyListens() async throws {
        let server = TestServer()
        let refusing = try RefusingPort()
        let nobody = try SocketAddress(ipAddress: "127.0.0.1", port: refusing.port)
        let untrusted = try await server.start()
        for _ in 0..<10 {
            await #expect {
                _ = try await ask(untrusted) {
                    $0.tls?.certificateVerification = .fullVerification
                    $0.resolve = { _, _ in [untrusted, nobody] }
                }
            } throws: {
                "\($0)".contains("its certificate is not trusted")
            }
        }
        try await server.stop()
    }

    @Test func withoutAnAnswerItEndsInTimeAndLeavesNoConnection() async throws {
        let server = TestServer { $0.holdsAnswers = true }
        let address = try await server.start()
        await #expect { _ = try await ask(address, timeout: 5) } throws: { error in
            if case SingleRequestError.timedOut = error { true } else { false }
        }
        try await eventually("closed") { try await server.withConnections { $0.map(\.isClosed) } == [true] }
        try await server.stop()
    }
}
