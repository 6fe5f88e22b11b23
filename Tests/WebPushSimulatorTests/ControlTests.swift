import Foundation
import SimulatorTestSupport
import TestSupport
import Testing
import WebPushSimulator

/// The control endpoint: subscriptions, chosen answers and recorded requests.
@Suite struct ControlTests {
    typealias Push = PushSession.Push

    @Test func createsSubscriptions() async throws {
        try await PushSession.run { session async throws in
            let wish = #"{"persona":"google","application_server_key":"\#(session.vapid.publicKey)","count":2}"#
            let answer = try await session.control.send("POST", "subscriptions", wish)
            #expect(answer.status == 200 && answer.body.contains(#""expirationTime":null"#), "\(answer)")
            let made = try JSONDecoder().decode([SubscriptionJSON].self, from: Data(answer.body.utf8))
            #expect(Set(made.map(\.endpoint)).count == 2 && Set(made.map(\.keys.p256dh)).count == 2)
            #expect(made[0].keys.p256dh.utf8.count == 87 && made[0].keys.auth.utf8.count == 22)
            for subscription in made { #expect(try await session.send(.google, to: subscription).status == 201) }
            for (bad, word) in [
                ("{}", "persona: missing"), (#"{"persona":"opera"}"#, "not one of apple, mozilla, google, microsoft"),
                (#"{"persona":"google"}"#, "application_server_key: required"),
                (#"{"persona":"google","application_server_key":"BA"}"#, "65 bytes"),
                (#"{"persona":"mozilla","state":"dead"}"#, "not one of good, gone, unknown"),
            ] {
                let refused = try await session.control.send("POST", "subscriptions", bad)
                #expect(refused.status == 400 && refused.body.contains(word), "\(bad): \(refused)")
            }
        }
    }

    @Test func keepsSubscriptionsAcrossRestarts() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/webpush-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let kept = Kept()
        for _ in 0..<2 {
            try await PushSession.run {
                $0.directory = folder
            } _: { session async throws in
                let made = try session.simulator.subscribe(.mozilla, key: nil)
                kept.paths.append(String(made.endpoint.dropFirst("https://localhost:".count).drop { $0 != "/" }))
                let answer = try await session.send(
                    .mozilla, Push(message: nil, fields: [("content-encoding", nil)], path: kept.paths[0]), to: made)
                #expect(answer.status == 201, "\(answer)")
            }
        }
        #expect(Set(kept.paths).count == 2)
    }

    private final class Kept { var paths: [String] = [] }

    @Test func returnsPlannedAnswers() async throws {
        try await PushSession.run { session async throws in
            let endpoint = try session.subscribe(.google)
            let name = endpoint.endpoint.replacing(":", with: "%3A").replacing("/", with: "%2F")
            #expect(try await session.control.send("PUT", "answers/tokens/\(name)", #"{"fault":"gone"}"#).status == 204)
            #expect(try await session.send(.google, to: endpoint).status == 410)
            #expect(try await session.send(.google).status == 201, "other subscriptions are unaffected")
            let rows: [(answer: PlannedWebPushAnswer, persona: Persona, status: Int, field: (String, String)?)] = [
                (PlannedWebPushAnswer(.tooManyRequests), .microsoft, 406, ("retry-after", "60")),
                (PlannedWebPushAnswer(.tooManyRequests, retryAfter: 7), .google, 429, ("retry-after", "7")),
                (PlannedWebPushAnswer(.unavailable), .mozilla, 503, ("retry-after", "120")),
                (PlannedWebPushAnswer(.keyMismatch, status: 403), .apple, 403, nil),
                (PlannedWebPushAnswer(.redirect), .google, 307, ("location", "https://canary.invalid/push")),
                (
                    PlannedWebPushAnswer(status: 201, location: "gopher://odd"), .google, 201,
                    ("location", "gopher://odd")
                ),
                (PlannedWebPushAnswer(.insufficientStorage), .google, 507, nil),
                (PlannedWebPushAnswer(status: 204, delayMilliseconds: 20), .microsoft, 204, nil),
                (PlannedWebPushAnswer(.badGateway), .mozilla, 502, nil),
                (PlannedWebPushAnswer(.internalError), .apple, 500, nil),
            ]
            for row in rows {
                session.simulator.answerNext(1, with: row.answer)
                let answer = try await session.send(row.persona)
                #expect(answer.status == row.status, "\(row): \(answer)")
                if let (field, value) = row.field { #expect(answer.fields[field] == value, "\(row): \(answer)") }
            }
            for (persona, loss) in [
                (Persona.google, PlannedWebPushAnswer.Loss.reset), (.mozilla, .reset), (.mozilla, .cut),
            ] {
                session.simulator.answerNext(1, with: PlannedWebPushAnswer(loss: loss))
                await #expect(throws: PushClient.Lost.self) { try await session.send(persona) }
            }
        }
    }

    @Test func recordsRequests() async throws {
        try await PushSession.run { session async throws in
            session.simulator.isRecording = true
            let subscription = try session.subscribe(.google), bytes: [UInt8] = [0xff, 0x00, 0x61]
            for _ in 0..<2 {
                let message = TestMessage(plaintext: bytes)
                let push = Push(message: message, fields: [("topic", "news"), ("urgency", "high")])
                #expect(try await session.send(.google, push, to: subscription).status == 201)
            }
            #expect(session.simulator.recordedAcceptances == [subscription.endpoint: 2])
            let recorded = try #require(session.simulator.recordedRequests.first)
            #expect(recorded.payloadBytes == Data(bytes) && recorded.fields["urgency"] == "high")
            #expect(recorded.fields["authorization"] == nil && recorded.status == 201)
            #expect(await session.simulator.counters().others == ["replaced": 1])
            #expect(session.simulator.vapidUses.values.map(\.tokens) == [2], "each signature makes another token")
            #expect(try await session.control.send("GET", "vapid").body.contains("google \(session.vapid.publicKey)"))
        }
    }

    @Test func servesMozillaOverHTTP1Only() async throws {
        try await PushSession.run { session async throws in
            await #expect(throws: (any Error).self) {
                try await PushClient.connect(to: session.simulator, port: session.simulator.port(of: .mozilla))
            }
        }
    }
}
