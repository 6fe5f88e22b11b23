import APNSSimulator
import HTTP2Session
import NIOCore
import SimulatorTestSupport
import TestSupport
import Testing

/// The simulator's records of requests, which other tests use to count pushes.
@Suite struct RecordingTests {
    private let key = TestKey()

    private func with(_ body: (SimulatedAPNS, PushClient, [(String, String)]) async throws -> Void) async throws {
        try await withSimulator {
            $0.tokenKeys = [key.tokenKey]
        } _: { simulator in
            simulator.isRecording = true
            let fields = [
                ("authorization", key.authorization()), ("apns-topic", "com.example"), ("apns-push-type", "alert"),
            ]
            try await body(simulator, try await PushClient.connect(to: simulator), fields)
        }
    }

    @Test func countsArrivalWhenConnectionIsLostBeforeAnswer() async throws {
        try await with { simulator, client, fields async throws in
            let token = "de1ade1a9000"
            let answer = client.start(token: token, fields: fields)
            try await eventually("the request arrived") { await simulator.counters().arrivals == 1 }
            #expect(simulator.recordedArrivals == [token: 1])
            #expect(simulator.recordedRequests.isEmpty, "a request is recorded only once its answer is known")
            await simulator.cutConnections()
            await #expect(throws: PushClient.Lost.self) { try await answer.get() }
            try await eventually("the lost request recorded") { simulator.recordedRequests.count == 1 }
            #expect(simulator.recordedRequests.first?.status == nil)
            #expect(simulator.recordedArrivals == [token: 1])
            #expect(simulator.recordedAcceptances.isEmpty)
        }
    }

    @Test func countsArrivalWhenClientResetsStream() async throws {
        try await with { simulator, client, fields async throws in
            let answer = client.start(token: "deafdeaf", fields: fields)
            try await eventually("the request arrived") { await simulator.counters().arrivals == 1 }
            try await client.reset(stream: 1)
            await #expect(throws: PushClient.Lost.self) { try await answer.get() }
            try await eventually("the stream closed") { await simulator.counters().openStreams == 0 }
            #expect(simulator.recordedArrivals == ["deafdeaf": 1])
            #expect(simulator.recordedRequests.map(\.status) == [nil], "the request must be recorded once")
        }
    }

    @Test func recordsAcceptancesSeparatelyFromArrivals() async throws {
        try await with { simulator, client, fields async throws in
            for token in ["aa", "aa", "bb", "dead0410"] { _ = try await client.push(token: token, fields: fields) }
            simulator.setAnswer(PlannedAnswer(.tooManyRequests), forToken: "aa")
            #expect(try await client.push(token: "aa", fields: fields).status == 429)
            #expect(simulator.recordedArrivals == ["aa": 3, "bb": 1, "dead0410": 1])
            #expect(simulator.recordedAcceptances == ["aa": 2, "bb": 1])
        }
    }

    @Test(arguments: [("de1ade1a9000", 0), ("deafdeaf", 1)])
    func removesArrivalsThatGoAwayDeclaresUnprocessed(token: String, withheld: Int) async throws {
        try await with { simulator, client, fields async throws in
            #expect(try await client.push(token: "aa", fields: fields).status == 200)
            try await client.waitForStreamLimit(1_000)
            let answers = (0..<3).map { _ in client.start(token: token, fields: fields) }
            try await eventually("all four requests arrived") { await simulator.counters().arrivals == 4 }
            #expect(simulator.recordedArrivals == ["aa": 1, token: 3])
            #expect(await simulator.counters().withheld == 3 * withheld)
            await simulator.sendGoAway(GoAwayFault(lastStreamID: 5))
            try await eventually("the third stream closed") {
                await simulator.counters().openStreams == 2
            }
            #expect(simulator.recordedArrivals == ["aa": 1, token: 2])
            await simulator.cutConnections()
            for answer in answers { await #expect(throws: PushClient.Lost.self) { try await answer.get() } }
            try await eventually("all four requests recorded") { simulator.recordedRequests.count == 4 }
            #expect(simulator.recordedArrivals == ["aa": 1, token: 2])
        }
    }

    @Test func doesNotCountRefusedStreamsAsArrivals() async throws {
        try await with { simulator, client, fields async throws in
            simulator.refuseStreams(2)
            for _ in 0..<2 {
                await #expect(throws: PushClient.Lost(code: .refusedStream)) {
                    try await client.push(token: "aa", fields: fields)
                }
            }
            #expect(try await client.push(token: "bb", fields: fields).status == 200)
            let counters = await simulator.counters()
            #expect(counters.refusedStreams == 2 && counters.arrivals == 1)
            #expect(simulator.recordedArrivals == ["bb": 1])
            #expect(simulator.recordedRequests.map(\.token) == ["bb"])
        }
    }
}
