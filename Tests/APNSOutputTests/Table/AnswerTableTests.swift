import APNSOutput
import APNSSimulator
import Foundation
import PushModel
import PushTestSupport
import Testing

/// All documented answers of APNs and some others, with the outcome of the push and how often it is sent.
@Suite struct AnswerTableTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let answer: PlannedAnswer
        /// The expected verdict and reason, after another push was accepted.
        let outcome: String
        /// The number of times that the push arrives.
        let arrivals: Int

        init(_ status: Int, _ reason: String, _ verdict: String, arrivals: Int = 1) {
            answer = PlannedAnswer(status: status, reason: reason)
            outcome = "\(verdict) \(reason)"
            self.arrivals = arrivals
        }

        init(_ answer: PlannedAnswer, _ outcome: String) {
            self.answer = answer
            self.outcome = outcome
            arrivals = 1
        }

        var testDescription: String { "\(answer.status) \(answer.reason ?? answer.body ?? "-")" }
    }

    /// The reasons in Apple's "Handling notification responses from APNs".
    static let reasons = [
        Row(400, "BadCollapseId", "rejected"), Row(400, "BadDeviceToken", "rejected"),
        Row(400, "BadExpirationDate", "rejected"), Row(400, "BadMessageId", "rejected"),
        Row(400, "BadPriority", "rejected"), Row(400, "BadTopic", "rejected"),
        Row(400, "DeviceTokenNotForTopic", "rejected"), Row(400, "DuplicateHeaders", "rejected"),
        Row(400, "IdleTimeout", "retry", arrivals: 2), Row(400, "InvalidPushType", "rejected"),
        Row(400, "MissingDeviceToken", "rejected"), Row(400, "MissingTopic", "rejected"),
        Row(400, "PayloadEmpty", "rejected"), Row(400, "TopicDisallowed", "retry"),
        Row(403, "BadCertificate", "retry"), Row(403, "BadCertificateEnvironment", "retry"),
        Row(403, "ExpiredProviderToken", "retry", arrivals: 2), Row(403, "Forbidden", "failed"),
        Row(403, "InvalidProviderToken", "retry"), Row(403, "MissingProviderToken", "retry"),
        Row(403, "UnrelatedKeyIdInToken", "retry", arrivals: 2), Row(403, "BadEnvironmentKeyInToken", "retry"),
        Row(403, "BadEnvironmentKeyIdInToken", "retry"), Row(404, "BadPath", "rejected"),
        Row(405, "MethodNotAllowed", "rejected"), Row(410, "ExpiredToken", "unregistered"),
        Row(410, "Unregistered", "unregistered"), Row(413, "PayloadTooLarge", "rejected"),
        Row(429, "TooManyProviderTokenUpdates", "retry"), Row(429, "TooManyRequests", "retry"),
        Row(500, "InternalServerError", "retry"), Row(503, "ServiceUnavailable", "retry"),
        Row(503, "Shutdown", "retry", arrivals: 2),
    ]

    /// Answers that Apple may add, and answers of intermediaries such as proxies.
    static let others = [
        Row(400, "Surprise", "rejected"), Row(403, "Surprise", "retry"), Row(410, "Surprise", "unregistered"),
        Row(418, "Surprise", "rejected"), Row(429, "Surprise", "retry"), Row(599, "Surprise", "retry"),
        Row(PlannedAnswer(status: 400), "rejected Status400"), Row(PlannedAnswer(status: 403), "retry Status403"),
        Row(PlannedAnswer(status: 410), "unregistered Status410"), Row(PlannedAnswer(status: 503), "retry Status503"),
        Row(PlannedAnswer(status: 502, body: "<html><h1>Bad gateway</h1></html>"), "retry Status502"),
        Row(PlannedAnswer(status: 408, body: "{"), "retry Status408"),
        Row(PlannedAnswer(status: 400, body: "[]"), "rejected Status400"),
        Row(PlannedAnswer(status: 400, body: #"{"reason":7}"#), "rejected Status400"),
        Row(PlannedAnswer(status: 400, body: #"{"other":1,"reason":"BadTopic"}"#), "rejected BadTopic"),
        Row(PlannedAnswer(status: 200, omitsMessageID: true), "sent -"),
    ]

    private func outcome(_ row: Row) async throws -> Outcome? {
        let simulator = try await WireFixture.startedSimulator()
        let fixture = try WireFixture(simulator)
        try fixture.register(at: simulator)
        #expect(try await fixture.push("0a") == "sent -")
        simulator.setAnswer(row.answer, forToken: "c0ffee")
        #expect(try await fixture.push("c0ffee") == row.outcome)
        #expect(simulator.recordedArrivals["c0ffee"] == row.arrivals)
        await fixture.output.shutDown()
        await simulator.stop()
        return fixture.recorder.outcomes.last
    }

    @Test(arguments: reasons) func handlesDocumentedReasons(row: Row) async throws {
        let outcome = try await outcome(row)
        #expect(outcome?.status == row.answer.status)
        #expect(outcome?.judge == .provider)
        #expect(outcome?.providerID != nil)
    }

    @Test(arguments: others) func handlesUndocumentedAnswers(row: Row) async throws {
        let outcome = try await outcome(row)
        #expect(outcome?.status == row.answer.status)
        #expect((outcome?.providerID == nil) == row.answer.omitsMessageID)
    }

    @Test(arguments: reasons.filter { $0.arrivals == 2 }) func resendsRefusedPushEvenAfterRefusedStreams(
        row: Row
    ) async throws {
        let simulator = try await WireFixture.startedSimulator()
        let fixture = try WireFixture(simulator)
        try fixture.register(at: simulator)
        #expect(try await fixture.push("0a") == "sent -")
        simulator.setAnswer(row.answer, forToken: "c0ffee")
        simulator.refuseStreams(5)
        #expect(try await fixture.push("c0ffee") == row.outcome)
        #expect(await simulator.counters().refusedStreams == 5)
        #expect(simulator.recordedArrivals["c0ffee"] == 2)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func coversEveryRejectionReason() {
        let known = Set(Self.reasons.compactMap(\.answer.reason))
        #expect(known.isSuperset(of: RejectionReason.allCases.map(\.rawValue)))
    }

    @Test func readsTimeOf410InMilliseconds() async throws {
        let answer = PlannedAnswer(status: 410, reason: "Unregistered", timestamp: .at(1_700_000_000_123))
        let outcome = try await outcome(Row(answer, "unregistered Unregistered"))
        #expect(outcome?.unregisteredAt == Timestamp(milliseconds: 1_700_000_000_123))
    }

    @Test(arguments: [
        PlannedAnswer(status: 410, reason: "Unregistered"),
        PlannedAnswer(status: 410, reason: "Unregistered", timestamp: .at(4_000_000_000_000)),
    ])
    func usesCurrentTimeFor410WithoutTimestampOrWithFutureTimestamp(answer: PlannedAnswer) async throws {
        let before = Timestamp.now
        let outcome = try await outcome(Row(answer, "unregistered Unregistered"))
        let reported = try #require(outcome?.unregisteredAt)
        let after = Timestamp.now
        #expect((before...after).contains(reported))
    }

    @Test func passesOnRetryAfter() async throws {
        let answer = PlannedAnswer(status: 429, reason: "TooManyRequests", retryAfter: 77)
        #expect(try await outcome(Row(answer, "retry TooManyRequests"))?.retryAfterSeconds == 77)
    }

    @Test(arguments: [SimulatorConfiguration.Environment.production, .sandbox])
    func reportsUniqueIDOnlyInSandbox(environment: SimulatorConfiguration.Environment) async throws {
        let simulator = try await WireFixture.startedSimulator { $0.environment = environment }
        let fixture = try WireFixture(simulator)
        try fixture.register(at: simulator)
        #expect(try await fixture.push() == "sent -")
        #expect((fixture.recorder.outcomes.first?.uniqueID != nil) == (environment == .sandbox))
        await fixture.output.shutDown()
        await simulator.stop()
    }
}
