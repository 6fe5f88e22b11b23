import APNSSimulator
import DeliveryPipeline
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport
import Routing

/// Jobs that wait in the broker: for another attempt, for a credential, or for the end of a pause.
@Suite(.needsServers)
struct RetryTests {
    private static let app = "com.example.shop"

    @Test func retriesTemporarilyRefusedPushesUntilAccepted() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            let prefixes = ["bad00429", "bad00500", "bad00503"]
            let waiting = prefixes.flatMap { Token.random($0, count: 5) }
            let job = JobText("again", app: Self.app, to: Token.random(count: 20) + waiting)
            try await InProcessWorker.run(in: installation) { worker in
                try await installation.publish([job], lane: .urgent)
                try await eventually("two retries of each push: \(worker.counts)") { worker.counts.retries >= 30 }
                for token in waiting { installation.simulator.setAnswer(.accepted, forToken: token) }
                try await installation.results.wait(for: 35)
                try await eventually("all jobs are settled: \(worker.counts)") { worker.counts.jobsOpen == 0 }
            }
            let entries = installation.results.entries
            #expect(entries.values.allSatisfy { $0.map(\.verdict) == [Verdict(kind: "sent")] })
            for token in waiting {
                let outcome = entries[Addressee(job: "again", token: token)]?.first?.outcome
                #expect((outcome?.attempts ?? 0) >= 3)
                // APNs has refused the earlier attempts, so the push can't have been delivered twice.
                #expect(outcome?.redelivered == nil)
                #expect(installation.simulator.recordedArrivals[token] == outcome?.attempts)
            }
            #expect(try await installation.waitingMessages().isEmpty)
        }
    }

    @Test func failsPushAfterLastAttempt() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            let retry = RetryPolicy(delays: [1], maximumAttempts: 2)
            try await InProcessWorker.run(in: installation, retry: retry) { _ in
                try await installation.publish([
                    JobText("never", app: Self.app, to: [Token.random("bad00503")]),
                    JobText("at once", app: Self.app, to: [Token.random("bad00503")], more: #","expires_at":0"#),
                ])
                try await installation.results.wait(for: 2)
            }
            let tally = installation.results.tally
            #expect(tally == ["failed RetriesExhausted": 1, "expired ServiceUnavailable": 1])
        }
    }

    @Test func holdsJobsOfPausedAppUntilResumed() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            try await installation.setApp(
                App(bundleID: Self.app, accounts: ["apns": AppAccount("TEAM000001")], isPaused: true))
            try await InProcessWorker.run(in: installation) { worker in
                try await installation.publish([JobText("held", app: Self.app, to: Token.random(count: 10))])
                try await eventually("the job arrives: \(worker.counts)") {
                    worker.counts.bytes.contains { $0.held > 0 }
                }
                #expect(worker.counts.jobsAccepted == 0 && installation.results.count == 0)
                try await installation.setApp(App(bundleID: Self.app, accounts: ["apns": AppAccount("TEAM000001")]))
                try await installation.results.wait(for: 10)
            }
            #expect(installation.results.tally == ["sent": 10])
            #expect(installation.results.entries.values.allSatisfy { $0.first?.outcome.attempts == 1 })
        }
    }

    @Test func failsWaitingAndNewJobsOfRetiredCredential() async throws {
        try await Installation.with { installation in
            let credential = try await installation.addTokenApp(Self.app)
            try await installation.addCertificateApp("com.example.news")
            let waiting = Token.random("bad00503", count: 3)
            try await InProcessWorker.run(in: installation) { worker in
                try await installation.publish([
                    JobText("waiting", app: Self.app, to: waiting + [Token.random()])
                ])
                try await eventually("three pushes wait for a retry: \(worker.counts)") { worker.counts.retries >= 3 }
                try await CredentialRepository(installation.database.pool).retire(credential)
                try await installation.results.wait(for: 4)
                try await installation.publish([
                    JobText("after", app: Self.app, to: [Token.random()]),
                    JobText("other", app: "com.example.news", to: [Token.random()]),
                ])
                try await installation.results.wait(for: 6)
            }
            #expect(installation.results.tally == ["sent": 2, "failed NoCredential": 4])
            let arrivals = installation.simulator.recordedArrivals
            #expect(arrivals.count == 5, "the job after the retirement was not sent: \(arrivals)")
            #expect(try await installation.waitingMessages().isEmpty)
        }
    }

    @Test func routesJobsOfNewApp() async throws {
        try await Installation.with { installation in
            try await installation.addCertificateApp("com.example.news")
            try await InProcessWorker.run(in: installation) { worker in
                try await eventually("the worker consumes: \(worker.counts)") { worker.counts.isConsuming }
                try await installation.addTokenApp(Self.app)
                var number = 0
                // A job of an unknown app is dead-lettered, so each attempt publishes a new job.
                try await eventually("a job of the new app is sent: \(installation.results.tally)") {
                    number += 1
                    try await installation.publish([JobText("try-\(number)", app: Self.app, to: [Token.random()])])
                    try await eventually("an event for job \(number)") {
                        installation.results.count + installation.results.rejections.count == number
                    }
                    return installation.results.count > 0
                }
            }
            #expect(installation.results.tally == ["sent": 1])
        }
    }
}
