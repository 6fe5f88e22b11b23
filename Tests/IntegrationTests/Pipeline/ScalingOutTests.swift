import APNSSimulator
import PushModel
import Store
import TestSupport
import TestTraits
import Testing

/// Workers that join a busy worker, and an app that joins a busy lane.
@Suite(.needsServers)
struct ScalingOutTests {
    private static let (campaign, newcomer) = ("com.example.campaign", "com.example.newcomer")

    /// Runs `body` with a provider that allows 100 streams on a connection and answers after `milliseconds`. A worker
    /// with one connection thus sends 100 pushes in that time.
    private func withSlowProvider(
        answersAfter milliseconds: Int, _ body: (Installation) async throws -> Void
    ) async throws {
        try await Installation.with(simulator: { $0.streamLimit = 100 }) { installation in
            try await installation.addTokenApp(Self.campaign)
            var faults = StandingFaults()
            faults.answerDelayMilliseconds = milliseconds
            await installation.simulator.setFaults(faults)
            try await body(installation)
        }
    }

    @Test(arguments: Lane.allCases)
    func leavesJobsForWorkerThatJoins(lane: Lane) async throws {
        // The first worker would need 200 s for the campaign, so the second one joins in time even if it starts slowly.
        try await withSlowProvider(answersAfter: 1_000) { installation in
            // The prefetch of every lane is larger, so the first worker could receive all jobs.
            let jobs = (0..<40).map { JobText("job-\($0)", app: Self.campaign, to: Token.random(count: 500)) }
            try await InProcessWorker.run(in: installation, maximumConnections: 1, name: "first") { _ in
                try await installation.publish(jobs, lane: lane)
                try await installation.results.wait(for: 1)
                try await InProcessWorker.run(in: installation, maximumConnections: 1, name: "second") { _ in
                    try await eventually("the second worker sends pushes: \(installation.results.tally)") {
                        installation.results.entries.values.joined().contains { $0.worker == "second" }
                    }
                    await installation.simulator.setFaults(StandingFaults())
                    try await installation.results.wait(for: 40 * 500)
                }
            }
            let entries = installation.results.entries.values
            #expect(entries.allSatisfy { $0.count == 1 })
            #expect(try await installation.waitingMessages().isEmpty)
        }
    }

    @Test func sendsNewAppsJobBeforeHalfOfRunningCampaign() async throws {
        try await withSlowProvider(answersAfter: 200) { installation in
            try await installation.addTokenApp(Self.newcomer)
            let jobs = (0..<200).map { JobText("job-\($0)", app: Self.campaign, to: Token.random(count: 100)) }
            try await InProcessWorker.run(in: installation, maximumConnections: 1, prefetch: [.normal: 50]) { worker in
                try await installation.publish(jobs)
                try await installation.results.wait(for: 1)
                let token = Token.random()
                try await installation.publish([JobText("new", app: Self.newcomer, to: [token])])
                let published = Timestamp.now
                try await eventually("the new app's job has an outcome: \(worker.counts)") {
                    installation.results.entries[Addressee(job: "new", token: token)] != nil
                }
                await installation.simulator.setFaults(StandingFaults())
                try await installation.results.wait(for: 20_001)
                let times = installation.results.entries.compactMapValues { entries in
                    entries.first.flatMap { Timestamp(rfc3339: $0.outcome.at) }
                }
                #expect(times.count == 20_001)
                let sent = try #require(times[Addressee(job: "new", token: token)])
                let before = times.values.count { $0 < published }
                let ahead = times.values.count { $0 < sent } - before
                #expect(ahead <= (20_000 - before) / 2, "at most half of the remaining campaign is sent first")
            }
        }
    }
}
