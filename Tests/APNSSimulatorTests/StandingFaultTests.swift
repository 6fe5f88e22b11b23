import APNSSimulator
import NIOCore
import SimulatorTestSupport
import TestSupport
import Testing

/// Faults that last until they are removed, and the state that survives a restart.
@Suite struct StandingFaultTests {
    private let key = TestKey()
    private let fields: [(String, String)]

    init() {
        fields = [("authorization", key.authorization()), ("apns-topic", "com.example"), ("apns-push-type", "alert")]
    }

    @Test func withholdsRefusalsDuringSilence() async throws {
        try await withSimulator {
            $0.tokenKeys = [key.tokenKey]
            $0.unauthenticatedStreamLimit = 10
        } _: { simulator in
            let client = try await PushClient.connect(to: simulator)
            var faults = StandingFaults()
            faults.silence = .answers
            await simulator.setFaults(faults)
            let pending = [
                client.start(fields: fields), client.start(method: "PUT", fields: fields),
                client.start(path: "/4/broadcasts/apps/com.example", fields: fields),
            ]
            try await eventually("three answers withheld") { await simulator.counters().withheld == 3 }
            #expect(await simulator.counters().byStatus.isEmpty)
            await simulator.setFaults(StandingFaults())
            #expect(try await client.push(fields: fields).status == 200)
            await simulator.cutConnections()
            for answer in pending { await #expect(throws: PushClient.Lost.self) { try await answer.get() } }
        }
    }

    @Test(arguments: [
        ("POST", "/3/device/00ff", 200), ("PUT", "/3/device/00ff", 405), ("POST", "/4/broadcasts/x", 404),
    ])
    func delaysEveryAnswer(method: String, path: String, status: Int) async throws {
        try await withSimulator {
            $0.tokenKeys = [key.tokenKey]
        } _: { simulator in
            let client = try await PushClient.connect(to: simulator)
            var faults = StandingFaults()
            faults.answerDelayMilliseconds = 300
            await simulator.setFaults(faults)
            let start = ContinuousClock.now
            #expect(try await client.push(method: method, path: path, fields: fields).status == status)
            #expect(ContinuousClock.now - start >= .milliseconds(300))
        }
    }

    @Test func keepsStateAcrossRestart() async throws {
        try await withSimulator {
            $0.tokenKeys = [key.tokenKey]
            $0.controlPort = 0
            $0.channelPort = 0
        } _: { simulator in
            simulator.isRecording = true
            let ports = [simulator.port, simulator.controlPort, simulator.channelPort]
            _ = try await PushClient.connect(to: simulator).push(token: "aa", fields: fields)
            var faults = StandingFaults()
            faults.answer = PlannedAnswer(.serviceUnavailable)
            faults.answerDelayMilliseconds = 300
            await simulator.setFaults(faults)
            await simulator.stop()
            #expect(await simulator.counters().arrivals == 1)
            try await simulator.start()
            #expect([simulator.port, simulator.controlPort, simulator.channelPort] == ports)
            let start = ContinuousClock.now
            let client = try await PushClient.connect(to: simulator)
            #expect(try await client.push(token: "aa", fields: fields).status == 503)
            #expect(ContinuousClock.now - start >= .milliseconds(300))
            let counters = await simulator.counters()
            #expect(counters.byStatus == [200: 1, 503: 1])
            #expect(counters.connections == 2 && counters.openConnections == 1)
            #expect(simulator.recordedArrivals == ["aa": 2])
            await simulator.reset()
            #expect(try await client.push(token: "aa", fields: fields).status == 200)
            #expect(await simulator.counters().arrivals == 1)
        }
    }

    @Test func keepsControlEndpointOpenWhileServerIsDown() async throws {
        try await withSimulator {
            $0.tokenKeys = [key.tokenKey]
            $0.controlPort = 0
        } _: { simulator in
            let control = Control(port: try #require(simulator.controlPort))
            let ports = [simulator.port, simulator.controlPort]
            #expect(try await control.send("POST", "faults/script", #"[{"at_ms":0,"down_ms":3000}]"#).status == 202)
            try await eventually("the server down") { simulator.port == 0 }
            #expect(try await control.send("GET", "counters").status == 200)
            try await eventually("the server up again") { simulator.port != 0 }
            #expect([simulator.port, simulator.controlPort] == ports)
            #expect(try await PushClient.connect(to: simulator).push(fields: fields).status == 200)
            #expect(try await control.send("GET", "counters").status == 200)
        }
    }

    @Test func sendsUnusualAnswersUnchanged() async throws {
        let rows: [(String, PlannedAnswer, PushClient.Response)] = [
            ("HTML body", PlannedAnswer(status: 502, body: "<html>"), .init(status: 502, body: "<html>")),
            ("empty body", PlannedAnswer(status: 503, body: ""), .init(status: 503)),
            (
                "retry-after", PlannedAnswer(status: 429, reason: "TooManyRequests", retryAfter: 7),
                .init(
                    status: 429, fields: ["retry-after": "7", "content-type": "application/json"],
                    body: #"{"reason":"TooManyRequests"}"#)
            ),
            (
                "no apns-id",
                PlannedAnswer(status: 410, reason: "Unregistered", timestamp: .at(5), omitsMessageID: true),
                .init(
                    status: 410, fields: ["content-type": "application/json"],
                    body: #"{"reason":"Unregistered","timestamp":5}"#)
            ),
        ]
        try await withSimulator {
            $0.tokenKeys = [key.tokenKey]
        } _: { simulator in
            let client = try await PushClient.connect(to: simulator)
            for (name, answer, expected) in rows {
                simulator.answerNext(1, with: answer)
                var response = try await client.push(fields: fields)
                #expect((response.fields.removeValue(forKey: "apns-id") == nil) == answer.omitsMessageID, "\(name)")
                #expect(response == expected, "\(name)")
            }
        }
    }

    @Test func countsRefusedBroadcastsAndAnswersWithRequestID() async throws {
        try await withSimulator {
            $0.tokenKeys = [key.tokenKey]
        } _: { simulator in
            let client = try await PushClient.connect(to: simulator)
            let id = "00000000-0000-0000-0000-00000000000a"
            let path = "/4/broadcasts/apps/com.example"
            let response = try await client.push(path: path, fields: fields + [("apns-request-id", id)])
            #expect(response.status == 400 && response.body == #"{"reason":"MissingChannelId"}"#)
            #expect(response.fields == ["apns-request-id": id, "content-type": "application/json"])
            let other = try await client.push(path: path, fields: fields + [("apns-request-id", "x")])
            #expect(other.body == #"{"reason":"BadMessageId"}"#)
            #expect(other.fields["apns-request-id"]?.count == 36)
            #expect(await simulator.counters().byReason == ["MissingChannelId": 1, "BadMessageId": 1])
        }
    }
}
