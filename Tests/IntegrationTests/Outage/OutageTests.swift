import AMQPClient
import APNSSimulator
import DeliveryPipeline
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// The outages in docs/runbook.md, "Outages". ``PrivateServerTests`` has the outages of whole servers.
@Suite(.needsServers, .endsAHang)
struct OutageTests {
    @Test func testsEveryOutageOfRunbook() throws {
        let tried = Set(
            ProviderOutage.allCases.map(\.rawValue) + OwnOutage.allCases.map(\.rawValue)
                + ServerOutage.allCases.map(\.rawValue) + DatabaseOutage.allCases.map(\.rawValue))
        #expect(try Set(OutageRow.all().keys) == tried)
    }

    enum ProviderOutage: String, CaseIterable, Sendable {
        case errors = "the provider answers 503"
        case silence = "the provider answers nothing"
        case slowness = "the provider answers late"
        case refusal = "a credential is refused"

        var faults: StandingFaults {
            var faults = StandingFaults()
            switch self {
            case .errors: faults.answer = PlannedAnswer(.serviceUnavailable)
            case .silence: faults.silence = .answers
            case .slowness: faults.answerDelayMilliseconds = 3_000
            case .refusal: faults.answer = PlannedAnswer(.invalidProviderToken)
            }
            return faults
        }
    }

    @Test(arguments: ProviderOutage.allCases) func reportsProviderOutage(outage: ProviderOutage) async throws {
        // A late answer must arrive before the request times out.
        let changes = outage == .slowness ? ["apns.request_timeout": "30"] : [:]
        try await Outage.happens(outage.rawValue, changes) { there, look in
            await there.installation.simulator.setFaults(outage.faults)
            try await there.publish("during", to: Token.random(count: 50))
            try await look()
            await there.installation.simulator.setFaults(StandingFaults())
        }
    }

    enum OwnOutage: String, CaseIterable, Sendable {
        case publisher = "a publisher sends an invalid job"
        case results = "a results queue is full"
        case unrouted = "no queue takes the outcomes"
        case removed = "an app is removed"
        case keyring = "the keyring cannot be read"
        case wrongKeyring = "the keyring opens no credential"
        case paused = "an app is paused"
    }

    @Test func reportsInvalidJob() async throws {
        try await Outage.happens(OwnOutage.publisher.rawValue) { there, look in
            try await there.installation.publish(raw: [#"{"id":"during","app":"com.example.shop","prio":1}"#])
            try await look()
        }
    }

    @Test func reportsJobsOfRemovedApp() async throws {
        try await Outage.happens(OwnOutage.removed.rawValue, hasOutcomes: false) { there, look in
            let removed = try await there.installation.martlet(["app", "remove", Outage.app])
            #expect(removed.status == 0, "\(removed)")
            try await there.publish("during")
            try await look()
        }
    }

    @Test func reportsFullResultsQueue() async throws {
        try await Outage.happens(OwnOutage.results.rawValue) { there, look in
            try await there.installation.withFullQueue(boundBy: "#") { queue in
                try await there.publish("during")
                try await look()
                try await there.installation.broker.delete(queues: [queue], exchanges: [])
            }
        }
    }

    @Test func reportsOutcomesThatNoQueueReceives() async throws {
        try await Outage.happens(OwnOutage.unrouted.rawValue, hasOutcomes: false) { there, look in
            await there.installation.results.stop()
            try await there.installation.broker.delete(
                queues: [ResultQueue.name(there.installation.names)], exchanges: [])
            try await there.publish("during")
            try await look()
        }
    }
}
