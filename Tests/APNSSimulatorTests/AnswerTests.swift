import APNSSimulator
import Foundation
import HTTP2Session
import NIOCore
import SimulatorTestSupport
import Testing

/// Chosen answers, faults and counters, over real TLS with a client certificate.
@Suite struct AnswerTests {
    private let topic = [("apns-topic", "com.example")]

    private func connect(_ simulator: SimulatedAPNS) async throws -> PushClient {
        try await PushClient.connect(
            to: simulator, certificate: simulator.certificateAuthority.issueClientCertificate(app: "com.example"))
    }

    @Test func reportsTimeOf410InMilliseconds() async throws {
        let clock = TestClock()
        try await withSimulator({ $0.now = { clock.now } }) { simulator in
            let client = try await connect(simulator)
            let now = try await client.push(token: "dead0410" + "00", fields: topic)
            #expect(now.status == 410)
            #expect(now.body == #"{"reason":"Unregistered","timestamp":1800000000000}"#)
            let long = try await client.push(token: "dead2410" + "00", fields: topic)
            #expect(long.body == #"{"reason":"Unregistered","timestamp":1797408000000}"#)
        }
    }

    @Test func choosesAnswersByTokenAndForNextPush() async throws {
        try await withSimulator { simulator in
            let client = try await connect(simulator)
            simulator.setAnswer(PlannedAnswer(status: 418, reason: #"Tea"pot"#), forToken: "AB")
            let chosen = try await client.push(token: "ab", fields: topic)
            #expect(chosen.status == 418)
            #expect(chosen.body == #"{"reason":"Tea\"pot"}"#)
            simulator.answerNext(1, with: PlannedAnswer(.shutdown))
            #expect(try await client.push(token: "cd", fields: topic).status == 503)
            #expect(try await client.push(token: "cd", fields: topic).status == 200)
            simulator.setAnswer(nil, forToken: "ab")
            #expect(try await client.push(token: "ab", fields: topic).status == 200)
        }
    }

    @Test func delaysAndWithholdsAnswersOfSingleStreams() async throws {
        try await withSimulator { simulator in
            let client = try await connect(simulator)
            let silent = client.start(token: "deafdeaf", fields: topic)
            let began = ContinuousClock.now
            let delayed = client.start(token: "de1ade1a0200", fields: topic)
            #expect(try await client.push(fields: topic).status == 200)
            #expect(try await delayed.get().status == 200)
            #expect(ContinuousClock.now - began >= .milliseconds(200))
            #expect(await simulator.counters().withheld == 1)
            #expect(await simulator.counters().openStreams == 1)
            await simulator.cutConnections()
            await #expect(throws: PushClient.Lost.self) { try await silent.get() }
        }
    }

    /// When a delayed answer is due, its slot may already belong to another request.
    @Test func dropsDelayedAnswerOfResetStream() async throws {
        try await withSimulator { simulator in
            let client = try await connect(simulator)
            let delayed = client.start(token: "de1ade1a9000", fields: topic)
            // This push is answered, so the delayed request has arrived too.
            #expect(try await client.push(fields: topic).status == 200)
            try await client.reset(stream: 1)
            await #expect(throws: PushClient.Lost(code: .cancel)) { try await delayed.get() }
            let silent = client.start(token: "deafdeaf", fields: topic)
            #expect(try await client.push(token: "de1ade1a9000", fields: topic).status == 200)
            #expect(await simulator.counters().byStatus == [200: 2])
            #expect(await simulator.counters().openStreams == 1)
            await simulator.cutConnections()
            await #expect(throws: PushClient.Lost.self) { try await silent.get() }
        }
    }

    @Test func sendsGoAwayWithReasonAndLastStream() async throws {
        try await withSimulator { simulator in
            let client = try await connect(simulator)
            let processed = client.start(token: "de1ade1a9000", fields: topic)
            let refused = client.start(token: "de1ade1a9000", fields: topic)
            // Once this third push is answered, both earlier requests have arrived.
            #expect(try await client.push(fields: topic).status == 200)
            await simulator.sendGoAway(GoAwayFault(lastStreamID: 1, reason: "Shutdown"))
            let goAway = try await client.goAways(1)
            #expect(goAway == [.init(lastStreamID: 1, debugData: #"{"reason":"Shutdown"}"#)])
            await #expect(throws: PushClient.Lost(code: .refusedStream)) { try await refused.get() }
            #expect(try await processed.get().status == 200)
            try await client.closed()
        }
    }

    @Test func sendsGoAwayInTwoSteps() async throws {
        try await withSimulator { simulator in
            let client = try await connect(simulator)
            // An open request keeps the client from closing the connection after the first step.
            let underWay = client.start(token: "de1ade1a9000", fields: topic)
            #expect(try await client.push(fields: topic).status == 200)
            await simulator.sendGoAway(GoAwayFault(announcesFirst: true))
            let first = try await client.goAways(1)
            #expect(first.first?.lastStreamID == .max)
            let both = try await client.goAways(2)
            #expect(both.last?.lastStreamID == 3)
            #expect(try await underWay.get().status == 200)
        }
    }

    @Test func changesStreamLimitDuringConnection() async throws {
        try await withSimulator { simulator in
            let client = try await connect(simulator)
            await simulator.changeStreamLimit(to: 1)
            try await client.waitForStreamLimit(1)
            let answers = (0..<50).map { client.start(token: "\(10 + $0)", fields: topic) }
            for answer in answers {
                #expect(try await answer.get().status == 200)
            }
            #expect(await simulator.counters().mostOpenStreams == 1)
            await simulator.changeStreamLimit(to: 500)
            try await client.waitForStreamLimit(500)
        }
    }

    @Test func countsRequestsAndAnswers() async throws {
        try await withSimulator { simulator in
            let client = try await connect(simulator)
            for token in ["0a", "dead0410", "dead1410", "bad00400", "zz"] {
                _ = try await client.push(token: token, fields: topic)
            }
            var expected = SimulatorCounters()
            expected.arrivals = 5
            expected.byStatus = [200: 1, 410: 2, 400: 2]
            expected.byReason = ["Unregistered": 1, "ExpiredToken": 1, "BadDeviceToken": 2]
            expected.connections = 1
            expected.openConnections = 1
            expected.mostOpenStreams = 1
            #expect(await simulator.counters() == expected)
            await simulator.reset()
            expected = SimulatorCounters()
            expected.openConnections = 1
            #expect(await simulator.counters() == expected)
        }
    }

    @Test func recordsRequestsWithOriginalPayload() async throws {
        try await withSimulator { simulator in
            let client = try await connect(simulator)
            _ = try await client.push(token: "00", fields: topic)
            simulator.isRecording = true
            let payload = #"{ "aps":{"alert":"Grüße 🕊"} }"#
            _ = try await client.push(
                token: "DEAD0410", fields: topic + [("apns-priority", "5"), ("authorization", "bearer secret")],
                payload: Array(payload.utf8))
            let request = try #require(simulator.recordedRequests.first)
            #expect(simulator.recordedRequests.count == 1 && request.token == "dead0410")
            #expect(request.fields == ["apns-topic": "com.example", "apns-priority": "5"])
            #expect(request.payload == payload && request.status == 410 && request.reason == "Unregistered")
            #expect(request.credential?.utf8.count == 64, "the credential is the certificate's SHA-256")
            #expect(simulator.recordedArrivals == ["dead0410": 1])
        }
    }

    @Test func closesConnectionOnOversizedHeaderList() async throws {
        try await withSimulator { simulator in
            let client = try await connect(simulator)
            await #expect(throws: PushClient.Lost.self) {
                try await client.push(fields: topic + [("x", String(repeating: "a", count: 8_000))])
            }
            try await client.closed()
            #expect(try await client.goAways(1).count == 1)
        }
    }

    @Test func servesManyConnectionsOnSeveralThreads() async throws {
        try await withSimulator({ $0.threads = 2 }) { simulator in
            try await withThrowingTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        let client = try await connect(simulator)
                        let answers = (0..<2_000).map {
                            client.start(token: $0 % 2 == 0 ? "0a" : "dead0410", fields: topic)
                        }
                        for answer in answers {
                            _ = try await answer.get()
                        }
                    }
                }
                try await group.waitForAll()
            }
            let counters = await simulator.counters()
            #expect(counters.arrivals == 8_000)
            #expect(counters.byStatus == [200: 4_000, 410: 4_000])
            #expect(counters.connections == 4)
        }
    }

    @Test func reportsNumberOfPortInUse() async throws {
        try await withSimulator { simulator in
            var configuration = SimulatorConfiguration()
            configuration.port = simulator.port
            let second = try SimulatedAPNS(configuration: configuration)
            let error = await #expect(throws: SimulatorError.self) { try await second.start() }
            #expect(error?.description.contains("\(simulator.port)") == true)
        }
    }

    @Test func restartsAfterStop() async throws {
        let simulator = try SimulatedAPNS()
        try await simulator.start()
        let client = try await connect(simulator)
        #expect(simulator.port != 0)
        await simulator.stop()
        try await client.closed()
        #expect(simulator.port == 0)
        await simulator.stop()
        try await simulator.start()
        #expect(try await connect(simulator).push(fields: topic).status == 200)
        await simulator.stop()
    }
}
