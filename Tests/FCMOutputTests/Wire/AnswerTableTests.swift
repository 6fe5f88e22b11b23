import FCMOutput
import FCMSimulator
import PushModel
import PushTestSupport
import Testing

/// Every answer from the simulator over TLS, with its outcome and its effect on other recipients.
@Suite struct AnswerTableTests {
    @Test(
        arguments: [
            ("a", "sent", nil), ("dead0404", "unregistered", "UNREGISTERED"),
            ("dead1404", "unregistered", "UNREGISTERED"),
            ("bad00400", "rejected", "INVALID_ARGUMENT"), ("bad01400", "rejected", "INVALID_ARGUMENT"),
            ("bad02400", "rejected", "INVALID_ARGUMENT"), ("bad00401", "rejected", "THIRD_PARTY_AUTH_ERROR"),
            ("bad01401", "hold", "UNAUTHENTICATED"), ("bad00403", "rejected", "SENDER_ID_MISMATCH"),
            ("bad01403", "retry", "PERMISSION_DENIED"), ("bad00404", "retry", "NOT_FOUND"),
            ("bad00429", "retry", "QUOTA_EXCEEDED"), ("bad00500", "retry", "INTERNAL"),
            ("bad00503", "retry", "UNAVAILABLE"),
            ("bad00502", "retry", "Status502"), ("0badc0de", "unknown", "StreamReset"),
            ("00000bad", "unknown", "ConnectionLost"),
        ] as [(String, String, String?)])
    func mapsAnswersToOutcomes(token: String, verdict: String, reason: String?) async throws {
        let simulator = try await SimulatedFCM.started()
        let fixture = try FCMFixture(simulator)
        let outcome = try #require(try await fixture.push("\"\(FCMFixture.token(token))\""))
        #expect("\(outcome.verdict)" == verdict && outcome.reason == reason, "\(outcome)")
        // Only the provider's answer marks a token dead, as of the time at which the message was sent.
        #expect((outcome.unregisteredAt != nil) == (verdict == "unregistered"))
        if verdict == "sent" {
            #expect(outcome.providerID?.description.hasPrefix("projects/shop-1a2b3/messages/") == true)
        }
        if ["retry", "unknown"].contains(verdict) { #expect(outcome.retryAfterSeconds >= 10) }
        #expect(fixture.refusals == (verdict == "hold" ? ["began UNAUTHENTICATED"] : []))
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test(arguments: [
        (#"{"fid":"cRAs5jE7TS2WWcFzwvYLgX"}"#, "sent"), (#"{"fid":"cdead04040000000000000"}"#, "unregistered"),
        (#"{"topic":"news"}"#, "sent"), (#"{"condition":"'news' in topics && 'de' in topics"}"#, "sent"),
        (#"{"condition":"news"}"#, "rejected"), (#"{"topic":"/topics/news"}"#, "rejected"),
    ])
    func sendsToEveryKindOfTarget(recipient: String, verdict: String) async throws {
        let simulator = try await SimulatedFCM.started()
        let fixture = try FCMFixture(simulator)
        let outcome = try #require(try await fixture.push(recipient))
        #expect("\(outcome.verdict)" == verdict, "\(outcome)")
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func reportsDryRunAsSentWithoutDelivery() async throws {
        let simulator = try await SimulatedFCM.started()
        let fixture = try FCMFixture(simulator)
        let outcome = try #require(try await fixture.push(payload: "{}", #""validate_only":true"#))
        #expect(outcome.verdict == .sent)
        #expect(simulator.recordedAcceptances == [:] && simulator.recordedArrivals["a:APA91b1"] == 1)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func writesJobFieldsThatGoogleAccepts() async throws {
        let simulator = try await SimulatedFCM.started()
        let fixture = try FCMFixture(simulator)
        let members = [#""priority":1"#, #""expires_at":4102444800"#, #""collapse_id":"Spielstand ü""#].joined(
            separator: ",")
        for payload in [
            "{}", #"{"android":{"ttl":"3.5s"},"apns":{"payload":{"aps":{}}},"webpush":{"headers":{"x":"y"}}}"#,
        ] {
            let outcome = try #require(try await fixture.push(payload: payload, members))
            #expect(outcome.verdict == .sent, "\(outcome.detail ?? "")")
        }
        await fixture.output.shutDown()
        await simulator.stop()
    }

    /// Google names a field of the payload, so every other recipient of the job would get the same answer.
    @Test func rejectsRestOfJobAfterRefusedPayload() async throws {
        let simulator = try await SimulatedFCM.started()
        let fixture = try FCMFixture(simulator) { $0.maximumConnections = 1 }
        _ = try await fixture.push()
        let tokens = FCMFixture.tokens(500, "x")
        try fixture.send(
            "[\(tokens.map { "\"\($0)\"" }.joined(separator: ",")),{\"token\":\"own:APA91b\",\"payload\":{}}]",
            payload: #"{"notification":{"title":7}}"#)
        await fixture.recorder.wait(for: 502)
        #expect(fixture.tally == ["sent": 2, "rejected INVALID_ARGUMENT": 500])
        let asked = await simulator.counters().byStatus[400] ?? 0
        // Messages that were on the wire when the first answer arrived are sent once more.
        #expect((1...200).contains(asked), "\(asked)")
        let details = Set(fixture.recorder.outcomes.filter { $0.verdict == .rejected }.map { $0.detail ?? "" })
        #expect(details.count == 1 && details.first?.contains("title") == true, "\(details)")
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func countsBadTokensByReason() async throws {
        let simulator = try await SimulatedFCM.started()
        let fixture = try FCMFixture(simulator)
        try fixture.send(
            to: FCMFixture.tokens(30, "bad00403") + FCMFixture.tokens(5, "bad00401") + FCMFixture.tokens(3))
        await fixture.recorder.wait(for: 38)
        await fixture.output.shutDown()
        #expect(fixture.tally == ["sent": 3, "rejected SENDER_ID_MISMATCH": 30, "rejected THIRD_PARTY_AUTH_ERROR": 5])
        #expect(fixture.badTokens == ["SENDER_ID_MISMATCH": 30, "THIRD_PARTY_AUTH_ERROR": 5])
        #expect(fixture.refusals == [])
        await simulator.stop()
    }
}
