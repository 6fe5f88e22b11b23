import HTTP2Pool
import HTTP2Session
import NIOCore
import NIOPosix
import NIOSSL
import TestSupport
import Testing
import WireTestSupport

/// Tests of a pool against a real server, with a generic client that contains no code for pushes.
@Suite struct ConnectionPoolTests {
    @Test func opensNoMoreStreamsThanConfigured() async throws {
        let server = TestServer(settings: HTTP2Settings(maxConcurrentStreams: 1_000)) { $0.holdsAnswers = true }
        let fixture = try PoolFixture(at: try await server.start(), requests: 1_000) { $0.maximumStreams = 100 }
        try await fixture.start()
        try await eventually("100 open streams") {
            try await server.withConnections { $0.first?.whole.count } == 100
        }
        // If the pool had opened more streams, they would have arrived too, because all requests leave in one write.
        try await server.withConnections { connections in
            for stream in connections[0].whole { try connections[0].answer(stream) }
        }
        try await eventually("the next 100 requests") { try await server.withConnections { $0[0].whole.count } == 200 }
        #expect(try await fixture.look { $0.ends } == ["200": 100])
        try await fixture.close()
        try await server.stop()
    }

    @Test func sharesConnectionLimitBetweenPools() async throws {
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
        try await eventually("two pools have sent their request") {
            try await server.withConnections { $0.map(\.whole.count) } == [1, 1]
        }
        #expect(limit.take(upTo: 1, beside: 0, nowMilliseconds: 0) == 0)
        try await server.withConnections { for connection in $0 { try connection.answer(1) } }
        try await eventually("the third pool connected in the place of an idle connection") {
            try await server.withConnections { $0.count == 3 && $0[2].whole.count == 1 }
        }
        for pool in pools { try await pool.close() }
        let places = (0..<3).map { _ in limit.take(upTo: 1, beside: 0, nowMilliseconds: 0) }
        #expect(places == [1, 1, 0], "each pool must release its connection exactly once")
        try await server.stop()
    }

    /// The status shows that the server accepted the request.
    @Test func reportsStatusOfAnswerThatIsResetLater() async throws {
        let server = TestServer { $0.holdsAnswers = true }
        let fixture = try PoolFixture(at: try await server.start(), requests: 1)
        try await fixture.start()
        try await eventually("the request received") { try await server.withConnections { $0.first?.whole } == [1] }
        try await server.withConnections { connections in
            // HEADERS of stream 1 with `:status` 200 but without END_STREAM, then RST_STREAM (RFC 9113, section 6).
            let frames: [UInt8] = [0, 0, 1, 1, 4, 0, 0, 0, 1, 0x88, 0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 2]
            connections[0].channel?.writeAndFlush(ByteBuffer(bytes: frames), promise: nil)
        }
        try await eventually("the request ended") { try await !fixture.look { $0.ends.isEmpty } }
        #expect(try await fixture.look { $0.ends } == ["200, cut": 1])
        try await fixture.close()
        try await server.stop()
    }

    /// The pool cannot notice that an idle connection is dead unless it sends PINGs.
    @Test func closesLastIdleConnectionWithoutPings() async throws {
        let server = TestServer()
        let fixture = try PoolFixture(at: try await server.start(), requests: 1) {
            $0.sendsPings = false
            $0.keepsLast = false
            $0.idleSeconds = 0
        }
        try await fixture.start()
        try await eventually("the connection closed") {
            try await server.withConnections { $0.count == 1 && $0[0].isClosed }
        }
        #expect(try await fixture.look { $0.ends } == ["200": 1])
        try await fixture.close()
        try await server.stop()
    }

    /// The pool closes a connection that is no longer needed when it opens. This is not a failure, so the next
    /// connection is opened without a back-off.
    @Test func reconnectsAtOnceAfterUnneededConnection() async throws {
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
                // Runs after that turn, before any connection opens.
                fixture.pool.eventLoop.execute { fixture.client.request(-1) }
            }.get()
            try await eventually("a connection opened and closed") {
                try await server.withConnections { $0.count == round && $0[round - 1].isClosed }
            }
        }
        try await fixture.close()
        try await server.stop()
    }

    @Test func resendsUnprocessedRequestsAndEndsEachOnce() async throws {
        let server = TestServer { connection in
            connection.turnsAway = connection.number == 0
            connection.leavesAfterFirst = connection.number == 1
        }
        let fixture = try PoolFixture(at: try await server.start(), requests: 20)
        try await fixture.start()
        try await eventually("all 20 requests answered") {
            try await fixture.look { $0.ends["200"] } == 20
        }
        #expect(try await fixture.look { $0.ended.values.allSatisfy { $0 == 1 } }, "each request must end once")
        #expect(try await fixture.look { $0.ends.keys.sorted() } == ["200", "unprocessed"])
        try await fixture.close()
        try await server.stop()
    }

    @Test func closesConnectionOnVerdictReplace() async throws {
        let server = TestServer()
        let fixture = try PoolFixture(at: try await server.start(), requests: 1, verdict: .replace)
        try await fixture.start()
        try await eventually("the connection closed") {
            try await server.withConnections { $0.count == 1 && $0[0].isClosed }
        }
        #expect(try await fixture.look { $0.ends } == ["200": 1])
        try await fixture.close()
        try await server.stop()
    }

    @Test func reportsAbandonedRequestsAsLost() async throws {
        let server = TestServer { $0.holdsAnswers = true }
        let fixture = try PoolFixture(at: try await server.start(), requests: 5)
        try await fixture.start()
        try await eventually("all five requests received") {
            try await server.withConnections { $0.first?.whole.count } == 5
        }
        try await fixture.pool.eventLoop.submit { fixture.pool.abandon() }.get()
        #expect(try await fixture.look { $0.ends } == ["lost, connectionLost(nil)": 5])
        #expect(try await fixture.look { $0.waiting } == 0)
        try await fixture.close()
        try await server.stop()
    }

    @Test func reportsRefusedConnection() async throws {
        let refusing = try RefusingPort()
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: refusing.port)
        let fixture = try PoolFixture(at: address, requests: 1)
        try await fixture.start()
        try await eventually("a failed connection reported") {
            try await fixture.look { $0.ends["no connection"] ?? 0 } > 0
        }
        #expect(try await fixture.look { $0.waiting } == 1, "the request must still wait")
        try await fixture.close()
    }
}

/// A single request on its own connection, which is closed afterwards.
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

    @Test func closesConnectionAfterAnswer() async throws {
        let server = TestServer()
        #expect(try await ask(try await server.start()).status == 200)
        try await eventually("the connection closed") {
            try await server.withConnections { $0.map(\.isClosed) } == [true]
        }
        try await server.stop()
    }

    /// The answer to a request on the wire arrives in spite of GOAWAY.
    @Test func returnsAnswerDespiteGoAway() async throws {
        let server = TestServer { $0.leavesBeforeFirst = true }
        #expect(try await ask(try await server.start()).status == 200)
        try await server.stop()
    }

    @Test func reportsReset() async throws {
        let server = TestServer { $0.resets = true }
        let address = try await server.start()
        await #expect { _ = try await ask(address) } throws: { "\($0)".contains("the request was reset") }
        try await server.stop()
    }

    /// The pool reports the TLS error regardless of the address that it tries first.
    @Test func reportsTLSErrorRatherThanRefusedConnection() async throws {
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

    @Test func timesOutWithoutAnswerAndClosesConnection() async throws {
        let server = TestServer { $0.holdsAnswers = true }
        let address = try await server.start()
        await #expect { _ = try await ask(address, timeout: 5) } throws: { error in
            if case SingleRequestError.timedOut = error { true } else { false }
        }
        try await eventually("the connection closed") {
            try await server.withConnections { $0.map(\.isClosed) } == [true]
        }
        try await server.stop()
    }
}
