import FCMOutput
import FCMSimulator
import Metering
import PushModel
import PushTestSupport
import TestSupport
import Testing

/// Faults of service accounts and their access tokens.
@Suite struct AccountFaultTests {
    @Test func replacesRevokedTokenOnce() async throws {
        let simulator = try await SimulatedFCM.started()
        let fixture = try FCMFixture(simulator)
        _ = try await fixture.push(#""a:APA91b""#)
        simulator.revokeTokens()
        try fixture.send(to: FCMFixture.tokens(200))
        await fixture.recorder.wait(for: 201)
        #expect(fixture.tally == ["sent": 201])
        #expect(simulator.accountUses.values.map(\.tokens) == [2])
        #expect(fixture.refusals == [])
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func holdsMessagesUntilAccountIsAcceptedAgain() async throws {
        let simulator = try await SimulatedFCM.started()
        // The pause is longer than the time for which a push waits in the worker for a probe.
        let fixture = try FCMFixture(simulator) { $0.breakMilliseconds = 6_000 }
        let email = "push@shop-1a2b3.iam.gserviceaccount.com"
        simulator.refuse(email, .init(tokenError: "invalid_grant"))
        try fixture.send(to: FCMFixture.tokens(20))
        await fixture.recorder.wait(for: 20)
        #expect(fixture.tally == ["hold invalid_grant": 20])
        #expect(fixture.refusals == ["began invalid_grant"])
        simulator.refuse(email, nil)
        try await eventually("a message is sent after the account is accepted again") {
            try await fixture.push(#""again:APA91b""#)?.verdict == .sent
        }
        #expect(fixture.refusals == ["began invalid_grant", "ended"])
        await fixture.output.shutDown()
        await simulator.stop()
    }

    /// The next token request follows after the pause, regardless of the number of pushes.
    @Test func sendsNoTokenRequestWhileRefusedAccountWaits() async throws {
        let simulator = try await SimulatedFCM.started()
        let metrics = MetricRegistry()
        let fixture = try FCMFixture(simulator) {
            $0.breakMilliseconds = 600_000
            $0.metrics = metrics
        }
        #expect(try await fixture.push()?.verdict == .sent)
        let email = "push@shop-1a2b3.iam.gserviceaccount.com"
        simulator.refuse(email, .init(tokenError: "invalid_grant"))
        simulator.revokeTokens()
        for round in 0..<30 {
            try fixture.send(to: FCMFixture.tokens(5, "round\(round)"))
            await fixture.recorder.wait(for: 6 + 5 * round)
        }
        #expect(fixture.tally == ["sent": 1, "hold invalid_grant": 150])
        #expect(fixture.refusals == ["began invalid_grant"])
        #expect(simulator.accountUses[email]?.tokenRequests == 2)
        let counted = metrics.page().values(of: .accessTokenRequests).filter { $0.value > 0 }
        #expect(counted.map { $0.labels["result"] } == ["granted", "refused"] && counted.allSatisfy { $0.value == 1 })
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func holdsMessagesWithoutRefusalIfTokenEndpointIsDown() async throws {
        let simulator = try await SimulatedFCM.started()
        let fixture = try FCMFixture(simulator)
        simulator.setTokenFault(PlannedFCMAnswer(.unavailable))
        try fixture.send(to: FCMFixture.tokens(20))
        await fixture.recorder.wait(for: 20)
        #expect(fixture.tally == ["hold NoAccessToken": 20])
        #expect(fixture.refusals == [])
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func keepsSendingForOtherProjectDuringRefusal() async throws {
        let simulator = try await SimulatedFCM.started()
        let shop = try FCMFixture(simulator) {
            $0.maximumConnections = 1
            $0.breakMilliseconds = 20_000
        }
        let news = try FCMFixture(simulator, project: "news-4c5d6", id: "2")
        simulator.refuse("push@shop-1a2b3.iam.gserviceaccount.com", .init(sendFault: .permissionDenied))
        try shop.send(to: FCMFixture.tokens(300, "s"))
        try news.send(to: FCMFixture.tokens(300, "n"))
        await shop.recorder.wait(for: 300)
        await news.recorder.wait(for: 300)
        #expect(Set(shop.tally.keys) == ["retry PERMISSION_DENIED", "hold PERMISSION_DENIED"], "\(shop.tally)")
        #expect(shop.recorder.outcomes.count == 300 && news.tally == ["sent": 300])
        await shop.output.shutDown()
        await news.output.shutDown()
        await simulator.stop()
    }

    @Test func reportsAccountWithForeignTokenURIAsUnusable() async throws {
        let simulator = try await SimulatedFCM.started()
        let fixture = try FCMFixture(simulator) { $0.tokenEndpoint = nil }
        #expect(try await fixture.push()?.reason == "CredentialUnusable")
        #expect(await simulator.counters().connections == 0)
        await fixture.output.shutDown()
        await simulator.stop()
    }
}
