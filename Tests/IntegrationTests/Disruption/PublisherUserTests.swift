import AMQPClient
import APNSSimulator
import Contract
import DeliveryPipeline
import PushModel
import Store
import TestSupport
import Testing
import Routing

extension PrivateServerTests {
    /// An app with a list of allowed publishers. They are users of the broker, which validates the `user_id` of
    /// messages.
    struct PublisherUserTests {
        private static let app = "com.example.shop"

        @Test func acceptsJobsOnlyFromAllowedPublishers() async throws {
            let servers = try #require(PrivateServers.current)
            for user in ["shop-backend", "somebody"] {
                try await PrivateServers.evaluateInBroker(
                    """
                    ok = rabbit_auth_backend_internal:add_user(<<"\(user)">>, <<"secret">>, <<"test">>),
                    ok = rabbit_auth_backend_internal:set_permissions(
                        <<"\(user)">>, <<"/">>, <<".*">>, <<".*">>, <<".*">>, <<"test">>).
                    """)
            }
            try await Installation.with(servers: servers) { installation in
                try await installation.addTokenApp(Self.app)
                try await installation.addTokenApp("com.example.open", team: "TEAM000003")
                try await installation.setApp(
                    App(
                        bundleID: Self.app, accounts: ["apns": AppAccount("TEAM000001")],
                        allowedPublishers: ["shop-backend"]))
                // The first attempt to send fails, so the worker republishes the job as its own broker user.
                let retried = Token.random()
                installation.simulator.setAnswer(PlannedAnswer(.serviceUnavailable), forToken: retried)
                try await InProcessWorker.run(in: installation) { worker in
                    try await publish("named", in: installation, as: "shop-backend", userID: "shop-backend")
                    try await publish(
                        "again", in: installation, as: "shop-backend", userID: "shop-backend", to: retried)
                    try await publish("silent", in: installation, as: "shop-backend", userID: nil)
                    try await publish("stranger", in: installation, as: "somebody", userID: "somebody")
                    try await publish("free", in: installation, as: "somebody", userID: nil, app: "com.example.open")
                    let forged = await #expect(throws: AMQPError.self) {
                        try await publish("forged", in: installation, as: "somebody", userID: "shop-backend")
                    }
                    #expect(
                        "\(forged.map { "\($0)" } ?? "")".contains("406"), "the broker refuses it: \(forged as Any)")
                    try await eventually("a push is retried: \(worker.counts)") { worker.counts.retries >= 1 }
                    installation.simulator.setAnswer(nil, forToken: retried)
                    try await installation.results.wait(for: 3)
                    try await eventually("two jobs are rejected: \(worker.counts)") { worker.counts.jobsRejected == 2 }
                }
                #expect(Set(installation.results.entries.keys.map(\.job)) == ["named", "again", "free"])
                #expect(installation.results.tally == ["sent": 3])
                let dead = try await installation.broker.messages(in: installation.names.dead)
                #expect(
                    Set(dead.map(\.reason)) == [
                        "app: \(Self.app) accepts only listed publishers, and the message has no user_id property",
                        "app: broker user somebody may not publish jobs for \(Self.app)",
                    ])
                #expect(Set(installation.results.rejections.compactMap(\.job)) == ["silent", "stranger"])
            }
        }

        private func publish(
            _ id: String, in installation: Installation, as user: String, userID: String?,
            to token: String = Token.random(),
            app: String = Self.app
        ) async throws {
            var broker = try installation.brokerConfiguration()
            (broker.user, broker.password) = (user, AMQPPassword("secret"))
            let publisher = try AMQPPublisher(
                configuration: broker, topology: installation.names.topology(delays: []),
                logger: installation.log.logger("publisher"))
            try await publisher.connectOnce()
            var properties = AMQPProperties(contentType: "application/json")
            properties.userID = userID
            let publication = AMQPPublication(
                id: 1, exchange: installation.names.jobs, routingKey: "normal", isMandatory: true,
                properties: properties,
                body: Array(JobText(id, app: app, to: [token]).json.utf8))
            do {
                try await publisher.publishAndWait([publication])
            } catch {
                await publisher.close()
                throw error
            }
            await publisher.close()
        }
    }
}
