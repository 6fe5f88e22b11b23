import AMQPClient
import DeliveryPipeline
import PushModel
import Store
import Testing
import Routing

/// Jobs that cannot be sent now. They wait in a delay queue, unless a later attempt cannot succeed.
@Suite struct HoldingTests {
    static let obstacles: [(name: String, apps: [App], credentials: [SnapshotCredential])] = [
        ("AppPaused", [.pausedShop], [.sample()]),
        ("CredentialUnusable", [.shop], [.sample(notAfter: now)]),
    ]

    @Test func delaysJobWithUnusableCredentialUnchanged() throws {
        let harness = PipelineHarness(credentials: [.sample(notAfter: now)])
        let properties = AMQPProperties(
            headers: ["x-martlet-attempt": 3, "traceparent": "00-trace"], messageID: "order-1", userID: "publisher")
        harness.deliver(jobBody(), number: 4, lane: .urgent, properties: properties, redelivered: true)
        try #require(harness.published.count == 1)
        let message = harness.published[0]
        #expect(message.exchange == "martlet.delay.30")
        #expect(message.routingKey == "urgent.returned")
        #expect(message.body == Array(jobBody().utf8))
        #expect(message.properties.headers["x-martlet-attempt"] == 3, "a hold must not count as an attempt")
        #expect(message.properties.headers["x-martlet-redelivered"] == true)
        #expect(message.properties.headers["traceparent"] == "00-trace")
        #expect(message.properties.messageID == "order-1")
        #expect(harness.acknowledged == [])
        harness.confirm(message)
        #expect(harness.acknowledged == [4])
        #expect(harness.core.currentCounts().jobsHeld == 1)

        harness.replaceSnapshot(apps: [.shop])
        harness.deliver([
            .sample(String(decoding: message.body, as: UTF8.self), number: 5, properties: message.properties)
        ])
        let job = try harness.job(0)
        #expect(job.attempt == 3 && job.redelivered && job.job.id == "order-1")
    }

    @Test(arguments: [#""expires_at":1800000029,"#, #""expires_at":0,"#])
    func expiresJobWhoseDeadlineIsBeforeDelay(deadline: String) throws {
        for (reason, apps, credentials) in Self.obstacles {
            let harness = PipelineHarness(apps: apps, credentials: credentials)
            harness.deliver(jobBody(more: deadline))
            harness.flush()
            #expect(
                try harness.outcomes().map { "\($0["kind"] ?? "-") \($0["reason"] ?? "-")" }
                    == ["expired \(reason)", "expired \(reason)"])
            try harness.confirmEvent(0)
            #expect(harness.acknowledged == [1])
        }
    }

    @Test func failsAllRecipientsWithoutCredential() throws {
        let harness = PipelineHarness(credentials: [])
        harness.deliver(jobBody(more: #""environment":"sandbox","#))
        harness.flush()
        #expect(
            try harness.outcomes().map { [$0["kind"], $0["recipient"], $0["reason"]] } == [
                ["failed", "aa01", "NoCredential"], ["failed", "aa02", "NoCredential"],
            ])
        let detail = "team TEAM000001 of app com.example.shop has no credential for topic com.example.shop in sandbox"
        #expect(try harness.outcomes().map { $0["detail"] } == [detail, detail])
        #expect(try JSON.object(harness.event(0).body)["environment"] as? String == "sandbox")
        #expect(harness.started == [])
        try harness.confirmEvent(0)
        #expect(harness.acknowledged == [1])
    }

    @Test func addsEnvironmentAndCredentialToJob() throws {
        let app = App(
            bundleID: "com.example.shop", accounts: ["apns": AppAccount("TEAM000001")], defaultEnvironment: .sandbox)
        let harness = PipelineHarness(apps: [app])
        harness.deliver(jobBody(), lane: .bulk)
        let job = try harness.job(0)
        #expect(job.environment == .sandbox)
        #expect(job.credential?.id == "credential-1")
        #expect(job.lane == .bulk && job.attempt == 1 && !job.redelivered)
    }

    @Test func sendsWithoutCredentialIfOutputNeedsNone() throws {
        let harness = PipelineHarness(apps: [App(bundleID: "com.example.shop")], credentials: [])
        harness.deliver(jobBody(more: #""output":"discard","#))
        harness.flush()
        #expect(try harness.outcomes().map { $0["kind"] } == ["sent", "sent"])
    }

    /// For every output, the app must be registered and its publisher allowed. The jobs of a paused app wait.
    @Test(arguments: [
        ([], "martlet.dead"), ([App(bundleID: "com.example.shop", allowedPublishers: ["shop"])], "martlet.dead"),
        ([App(bundleID: "com.example.shop", isPaused: true)], "martlet.moved"),
    ])
    func checksAppEvenIfOutputNeedsNoCredential(apps: [App], exchange: String) {
        let harness = PipelineHarness(apps: apps, credentials: [])
        harness.deliver(jobBody(more: #""output":"discard","#))
        harness.flush()
        #expect(harness.moved.first?.hasPrefix(exchange) == true, "\(harness.moved)")
    }
}
