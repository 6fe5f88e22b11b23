import APNSSimulator
import DeliveryPipeline
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport
import Routing

/// Workers whose credentials APNs refuses, and outages in which APNs refuses everything.
@Suite(.needsServers, .endsAHang)
struct RefusedCredentialTests {
    private static let app = "com.example.shop"

    @Test func reportsRefusedCredentialAndHoldsJobs() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            var faults = StandingFaults()
            faults.answer = PlannedAnswer(.invalidProviderToken)
            await installation.simulator.setFaults(faults)
            try await installation.withWorker(["retry.delays": "1,2"]) { worker in
                let jobs = (0..<20).map { JobText("job-\($0)", app: Self.app, to: Token.random(count: 10)) }
                try await installation.publish(jobs)
                try await eventually(worker.errors) {
                    let list = try await installation.martlet(["credential", "list", "--json"])
                    return list.output.contains(#""state":"refused""#) || list.output.contains(#""state" : "refused""#)
                }
                let list = try await installation.martlet(["credential", "list"])
                #expect(list.output.contains("production: InvalidProviderToken since"), "\(list.output)")
                #expect(await installation.simulator.counters().arrivals <= 3, "the worker sends only probes")
                #expect(installation.results.count == 0)

                await installation.simulator.setFaults(StandingFaults())
                try await installation.results.wait(for: 200)
                let mended = try await installation.martlet(["credential", "list"])
                #expect(!mended.output.contains("InvalidProviderToken"), "\(mended.output)")
            }
            #expect(installation.results.tally == ["sent": 200])
            #expect(installation.results.entries.values.allSatisfy { $0.first?.outcome.attempts == 1 })
            #expect(await installation.simulator.counters().byStatus[200] == 200)
        }
    }

    /// A campaign to sandbox tokens in the production environment. APNs rejects its tokens as bad, and the worker
    /// neither marks them dead nor holds pushes.
    @Test func reportsMixedUpEnvironmentsWithoutHoldingPushes() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            try await installation.withWorker { worker in
                #expect(try await installation.martlet(["doctor"]).output.contains("ok    refusals"))
                let tokens = (0..<1_200).map { _ in Token.random(Token.bad) }
                try await installation.publish([JobText("campaign", app: Self.app, to: tokens)])
                try await installation.publish([JobText("call", app: Self.app, to: [Token.random()])], lane: .urgent)
                try await installation.results.wait(for: 1_201)
                try await eventually(worker.errors) {
                    let doctor = try await installation.martlet(["doctor"])
                    return doctor.output.contains(#/WARN  refusals      apns TEAM000001 \(.+\), production /#)
                        && doctor.output.contains("\(Self.app) (device tokens): BadDeviceToken since")
                }
                #expect(worker.errors.contains("Most device tokens of an app are bad"), "\(worker.errors)")
                let list = try await installation.martlet(["credential", "list"]).output
                #expect(list.contains("active") && list.contains("(device tokens): BadDeviceToken"), "\(list)")
            }
            #expect(try await RefusalRepository(installation.database.pool).list().isEmpty, "a stop removes refusals")
            #expect(installation.results.tally == ["rejected BadDeviceToken by apns": 1_200, "sent": 1])
            #expect(try await installation.markedTokens(of: Self.app).isEmpty)
            #expect(await installation.simulator.counters().arrivals == 1_201)
        }
    }

    @Test func retriesDuringAPNsOutageAndSendsEachPushOnce() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            var faults = StandingFaults()
            faults.answer = PlannedAnswer(.serviceUnavailable)
            await installation.simulator.setFaults(faults)
            try await InProcessWorker.run(in: installation) { worker in
                let jobs = (0..<10).map { JobText("job-\($0)", app: Self.app, to: Token.random(count: 50)) }
                try await installation.publish(jobs)
                try await eventually("three attempts each: \(worker.counts)") { worker.counts.retries >= 1_500 }
                #expect(installation.results.count == 0)
                await installation.simulator.setFaults(StandingFaults())
                try await installation.results.wait(for: 500)
            }
            #expect(installation.results.tally == ["sent": 500])
            #expect(installation.results.entries.values.allSatisfy { ($0.first?.outcome.attempts ?? 0) >= 4 })
            let counters = await installation.simulator.counters()
            #expect(counters.byStatus[200] == 500)
            #expect(counters.arrivals == counters.byStatus.values.reduce(0, +))
        }
    }

    /// Forty apps of two teams. One team has a single app and a key that is not registered at Apple.
    @Test func keepsLatencyOfOtherAppsBesideBrokenApp() async throws {
        let alone = try await ninetyNinth(withBrokenApp: false)
        let beside = try await ninetyNinth(withBrokenApp: true)
        print("99th percentile of 39 apps: \(alone) ms alone, \(beside) ms beside a broken one")
        // The limit is high, because the machine is busy. If other apps waited for the broken one, their times would be
        // 30 seconds longer.
        #expect(beside < alone + 20_000)
    }

    /// Returns the 99th percentile of the times from publication to outcome, in milliseconds.
    private func ninetyNinth(withBrokenApp: Bool) async throws -> Int {
        var milliseconds: [Int] = []
        try await Installation.with { installation in
            let apps = (0..<39).map { "com.example.app\($0)" }
            let broken = "com.example.broken"
            try await installation.addTokenApp(broken, team: "TEAM000002", isRefused: true)
            try await installation.addTokenApp(apps[0])
            for app in apps.dropFirst() {
                try await installation.setApp(App(bundleID: app, accounts: ["apns": AppAccount("TEAM000001")]))
            }
            try await InProcessWorker.run(in: installation) { worker in
                // The first push opens the connection, so that connecting does not count.
                try await installation.publish([JobText("first", app: apps[0], to: [Token.random()])])
                try await installation.results.wait(for: 1)
                if withBrokenApp {
                    try await installation.publish(
                        (0..<40).map { JobText("broken-\($0)", app: broken, to: Token.random(count: 500)) })
                    try await eventually("all pushes are held: \(worker.counts)") { worker.counts.pushesHeld >= 20_000 }
                }
                let jobs = apps.flatMap { app in
                    (0..<25).map { JobText("\(app)-\($0)", app: app, to: Token.random(count: 2)) }
                }
                let start = Timestamp.now
                try await installation.publish(jobs)
                try await installation.results.wait(for: 1 + 39 * 25 * 2)
                let found = installation.results.entries.filter { $0.key.job != "first" }.values.compactMap { $0.first }
                #expect(found.count == 39 * 25 * 2, "the broken app has no outcomes")
                #expect(found.allSatisfy { $0.verdict == Verdict(kind: "sent") })
                let times = found.compactMap { Timestamp(rfc3339: $0.outcome.at)?.milliseconds }
                milliseconds = times.map { Int($0 - start.milliseconds) }.sorted()
                if withBrokenApp {
                    // Pausing the app keeps its held jobs from delaying the end of the test.
                    try await installation.setApp(
                        App(bundleID: broken, accounts: ["apns": AppAccount("TEAM000002")], isPaused: true))
                }
            }
            let counters = await installation.simulator.counters()
            #expect((counters.byReason["InvalidProviderToken"] ?? 0) <= (withBrokenApp ? 3 : 0), "only probes are sent")
        }
        return milliseconds.isEmpty ? 0 : milliseconds[milliseconds.count * 99 / 100]
    }
}
