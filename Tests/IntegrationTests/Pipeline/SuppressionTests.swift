import APNSSimulator
import DeliveryPipeline
import PostgresClient
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// The suppression of pushes to dead tokens.
@Suite(.needsServers)
struct SuppressionTests {
    private static let app = "com.example.shop"

    private static var quick: DeadTokenFeed.Configuration {
        var configuration = DeadTokenFeed.Configuration()
        configuration.pollInterval = .milliseconds(100)
        return configuration
    }

    private func key(_ token: String) -> DeviceTokenKey {
        DeviceTokenKey(
            output: "apns", app: Self.app, environment: .production, form: .hex(maximumDigits: 512), token: token)
    }

    private func kinds(_ installation: Installation, _ job: String) -> [String: Int] {
        installation.results.entries.filter { $0.key.job == job }.values.flatMap { $0 }
            .reduce(into: [:]) { $0[$1.verdict.kind, default: 0] += 1 }
    }

    /// Publishes jobs to a token until one has an outcome of this kind.
    private func eventually(
        _ kind: String, _ installation: Installation, _ token: String, _ name: String,
        within limit: Duration = .seconds(60)
    ) async throws {
        var number = 0
        try await TestSupport.eventually("a job \(name) is \(kind): \(installation.results.tally)", within: limit) {
            number += 1
            let before = installation.results.count
            try await installation.publish([JobText("\(name)-\(number)", app: Self.app, to: [token])])
            try await installation.results.wait(for: before + 1)
            return kinds(installation, "\(name)-\(number)")[kind] == 1
        }
    }

    /// APNs reports the token as dead to one worker. Other workers, including those in other processes, read the mark
    /// from the database.
    @Test func suppressesTokenMarkedByAnotherWorker() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            let (dead, live) = (Token.random(Token.dead), Token.random())
            try await InProcessWorker.run(in: installation) { worker in
                try await installation.publish([JobText("first", app: Self.app, to: [dead, live])])
                try await installation.results.wait(for: 2)
                try await TestSupport.eventually("the job is settled: \(worker.counts)") { worker.counts.jobsOpen == 0 }
            }
            #expect(installation.results.tally == ["unregistered Unregistered": 1, "sent": 1])
            let arrivals = installation.simulator.recordedArrivals[dead]
            // The second worker runs in its own process, with the default configuration.
            try await installation.withWorker { _ in
                try await eventually("suppressed", installation, dead, "again")
                let sent = installation.simulator.recordedArrivals[dead]
                try await installation.publish([
                    JobText("many", app: Self.app, to: [dead, live], more: #","results":"problems""#)
                ])
                try await TestSupport.eventually("one push is suppressed: \(installation.results.tally)") {
                    kinds(installation, "many") == ["suppressed": 1]
                }
                try await TestSupport.eventually("the live token gets its push") {
                    installation.simulator.recordedArrivals[live] == 2
                }
                #expect(installation.simulator.recordedArrivals[dead] == sent)
            }
            let outcome = installation.results.entries[Addressee(job: "many", token: dead)]?.first?.outcome
            #expect(outcome?.unregistered_at != nil && outcome?.status == nil && outcome?.reason == nil)
            #expect(arrivals == 1)
        }
    }

    @Test func suppressesTokenMarkedWhileWorkerRuns() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            let token = Token.random()
            try await installation.withWorker { _ in
                try await eventually("sent", installation, token, "before")
                // The mark that another worker would write.
                try await DeviceTokenRegistry(installation.database.pool).mark([
                    TokenMark(key: key(token), unregisteredAt: .now, reason: "Unregistered")
                ])
                try await eventually("suppressed", installation, token, "after")
            }
        }
    }

    @Test func sendsToTokenThatIsRegisteredAgain() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            let (byCommand, byJob) = (Token.random(), Token.random())
            let registry = DeviceTokenRegistry(installation.database.pool)
            let death = Timestamp(seconds: Timestamp.now.seconds - 60)
            try await registry.mark(
                [byCommand, byJob].map { TokenMark(key: key($0), unregisteredAt: death, reason: "Unregistered") })
            try await InProcessWorker.run(in: installation, deadTokens: Self.quick) { worker in
                try await eventually("suppressed", installation, byCommand, "dead")
                let registered = try await installation.martlet(["token", "register", byCommand, "--app", Self.app])
                #expect(registered.status == 0, "\(registered)")
                try await eventually("sent", installation, byCommand, "registered")

                // The first job's recipient was registered before the token died, and the other's at the time of its
                // death.
                var early = JobText("early", app: Self.app, to: [])
                early.recipients = [.init(token: byJob, registeredAt: Int(death.seconds) - 1)]
                var later = JobText("later", app: Self.app, to: [])
                later.recipients = [.init(token: byJob, registeredAt: Int(death.seconds))]
                let before = installation.results.count
                try await installation.publish([early])
                try await installation.results.wait(for: before + 1)
                try await installation.publish([later])
                try await installation.results.wait(for: before + 2)
                #expect(kinds(installation, "early") == ["suppressed": 1])
                #expect(kinds(installation, "later") == ["sent": 1])
                // The registration in the job is stored, so it also applies to jobs without `registered_at`.
                try await eventually("sent", installation, byJob, "afterwards")
                let state = try await registry.show(token: byJob, output: "apns", form: .hex(maximumDigits: 512))
                #expect(state.map(\.registeredAt) == [death] && state.map(\.unregisteredAt) == [nil])
                #expect(worker.counts.lookUpsDead >= 2 && worker.counts.lookUpsLive >= 3)
            }
        }
    }

    /// A filter of 32 bytes with hundreds of tokens can't rule out any token, so every token is looked up in the
    /// database.
    @Test func sendsToLiveTokensWhenFilterIsTooSmall() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            let dead = Token.random(count: 500)
            let live = Token.random(count: 500)
            try await DeviceTokenRegistry(installation.database.pool).mark(
                dead.map { TokenMark(key: key($0), unregisteredAt: .now, reason: "Unregistered") })
            var tiny = Self.quick
            tiny.maximumBytes = 32
            try await InProcessWorker.run(in: installation, deadTokens: tiny) { worker in
                try await TestSupport.eventually("\(worker.counts)") { worker.counts.suppressionBytes == 32 }
                let tokens = zip(dead, live).flatMap { [$0, $1] }
                try await installation.publish([JobText("all", app: Self.app, to: tokens)])
                try await installation.results.wait(for: 1_000)
                #expect(worker.counts.lookUpsDead == 500 && worker.counts.lookUpsLive == 500, "\(worker.counts)")
            }
            #expect(installation.results.tally == ["suppressed": 500, "sent": 500])
            #expect(Set(installation.simulator.recordedArrivals.keys) == Set(live))
        }
    }

    @Test func sendsToDeadTokensDuringDatabaseOutage() async throws {
        try await Installation.with { installation in
            // The app has a certificate, because a provider token would need the database.
            try await installation.addCertificateApp(Self.app)
            let token = Token.random()
            try await DeviceTokenRegistry(installation.database.pool).mark([
                TokenMark(key: key(token), unregisteredAt: .now, reason: "Unregistered")
            ])
            try await InProcessWorker.run(in: installation, deadTokens: Self.quick, databasePatience: 2_000) { worker in
                try await eventually("suppressed", installation, token, "with")
                try await installation.database.withoutConnections {
                    let before = installation.results.count
                    try await installation.publish([JobText("without", app: Self.app, to: [token])])
                    try await installation.results.wait(for: before + 1)
                    #expect(kinds(installation, "without") == ["sent": 1])
                }
                try await eventually("suppressed", installation, token, "back")
            }
        }
    }

    @Test func sendsToDeadTokensIfSuppressionIsDisabled() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            let token = Token.random()
            try await DeviceTokenRegistry(installation.database.pool).mark([
                TokenMark(key: key(token), unregisteredAt: .now, reason: "Unregistered")
            ])
            try await installation.withWorker(["suppression.enabled": "false"]) { _ in
                try await installation.publish([JobText("on", app: Self.app, to: [token])])
                try await installation.results.wait(for: 1)
            }
            #expect(installation.results.tally == ["sent": 1])
        }
    }
}
