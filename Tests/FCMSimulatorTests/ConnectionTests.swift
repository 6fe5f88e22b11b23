import FCMSimulator
import HTTP2Session
import NIOCore
import SimulatorTestSupport
import TestSupport
import Testing

/// The behaviour of connections, as observed on the live service.
@Suite struct ConnectionTests {
    @Test func closesConnectionAfterTooManyPings() async throws {
        try await FCMSession.run { session async throws in
            for _ in 0..<2 { try await session.client.ping() }
            #expect(try await session.send().status == 200)
            try await session.client.ping()
            let goAways = try await session.client.goAways(1)
            #expect(goAways.map(\.code) == [.enhanceYourCalm] && goAways.map(\.debugData) == ["too_many_pings"])
            try await session.client.closed()
        }
    }

    @Test func closesIdleConnections() async throws {
        // The simulator checks every 20 ms, but the clock that it reads stands still.
        try await FCMSession.run {
            $0.idleTime = 20
        } _: { session async throws in
            #expect(try await session.send().status == 200)
            session.advance(milliseconds: 20)
            let goAways = try await session.client.goAways(1)
            #expect(goAways.map(\.code) == [.noError] && goAways.map(\.debugData) == ["session_timed_out"])
            try await session.client.closed()
            let counters = await session.simulator.counters()
            #expect(counters.others == ["session_timed_out": 1], "\(counters)")
        }
    }

    @Test func keepsConnectionWithOpenStream() async throws {
        try await FCMSession.run {
            $0.idleTime = 20
        } _: { session async throws in
            let answer = session.start(to: "de1ade1a0300-1:APA91b")
            try await eventually("the message has arrived") { await session.simulator.counters().arrivals == 2 }
            session.advance(milliseconds: 1_000)
            #expect(try await answer.get().status == 200)
            #expect(try await session.client.goAways(1).map(\.debugData) == ["session_timed_out"])
        }
    }

    @Test func sendsGoAwayWithStreamsInFlight() async throws {
        try await FCMSession.run {
            // The first of the three requests is for the access token.
            $0.requestsBeforeShutdown = 3
        } _: { session async throws in
            let answers = (0..<2).map { session.start(to: "de1ade1a0200-\($0):APA91b") }
            #expect(try await session.client.goAways(1) == [.init(lastStreamID: 5, debugData: "server_shutting_down")])
            for answer in answers { #expect(try await answer.get().status == 200, "open streams must be answered") }
            try await session.client.closed()
        }
    }
}
