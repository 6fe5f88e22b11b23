import Foundation
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// The rate limit of an app in a fleet whose workers change. It applies to all workers together and does not delay
/// other apps or urgent jobs.
@Suite(.needsServers)
struct FleetRateLimitTests {
    private static let (paced, other) = ("com.example.paced", "com.example.other")
    private static let (rate, recipients) = (400, 4_800)

    /// The jobs that the rate limit must not delay.
    private struct Beside {
        let bulk = (0..<20).map { JobText("other-\($0)", app: FleetRateLimitTests.other, to: Token.random(count: 50)) }
        let urgent = JobText("code", app: FleetRateLimitTests.paced, to: Token.random(count: 1))
        var all: [JobText] { bulk + [urgent] }
    }

    @Test func keepsRateLimitWhileWorkerIsReplaced() async throws {
        try await Installation.with { installation in
            for app in [Self.paced, Self.other] { try await installation.addTokenApp(app) }
            let set = try await installation.martlet(["app", "set", Self.paced, "--rate", "\(Self.rate)"])
            #expect(set.output.contains("at most \(Self.rate) a second"), "\(set)")
            #expect(set.errors == "no worker is running: the change applies when one starts\n")
            let top = try await installation.martlet(["top", "--once"])
            #expect(top.output.contains("rate limit: \(Self.paced), at most \(Self.rate) a second\n"), "\(top)")
            var workers = try (1...3).map { try installation.startWorker(["worker.name": "worker-\($0)"]) }
            do {
                try await follow(installation, &workers)
            } catch {
                for worker in workers { worker.signal(SIGKILL) }
                throw Failure(description: "\(error)\n\(workers.map(\.errors).joined().suffix(6_000))")
            }
            for worker in workers { worker.signal(SIGTERM) }
            for worker in workers { #expect(try await worker.finish().status == 0) }
            #expect(try await installation.waitingMessages(delays: []).isEmpty)
        }
    }

    private func follow(_ installation: Installation, _ workers: inout [Subprocess]) async throws {
        let running = WorkerRepository(installation.database.pool)
        try await eventually("three workers run") { try await running.fleet().running.count == 3 }
        let start = ContinuousClock.now
        let campaign = JobText("campaign", app: Self.paced, to: Token.random(count: Self.recipients))
        try await installation.publish([campaign], lane: .bulk)
        try await installation.results.wait(for: 1)
        let beside = Beside()
        try await installation.publish(beside.bulk, lane: .bulk)
        try await installation.publish([beside.urgent], lane: .urgent)
        try await eventually("the other jobs have their outcomes") { has(installation, beside.all) }
        #expect(!has(installation, [campaign]))
        workers.removeFirst().signal(SIGKILL)
        workers.append(try installation.startWorker(["worker.name": "worker-4"]))
        try await installation.results.wait(for: Self.recipients + 1_001)
        // The rate limit allows a burst with the pushes of one second.
        let leastSeconds = Double(Self.recipients) / Double(Self.rate) * 0.9 - 1
        #expect(ContinuousClock.now - start > .seconds(leastSeconds))
        for (addressee, entries) in installation.results.entries {
            #expect(entries.filter { $0.outcome.redelivered == nil }.count <= 1, "\(addressee)")
        }
    }

    /// Returns whether every recipient of the jobs has an outcome.
    private func has(_ installation: Installation, _ jobs: [JobText]) -> Bool {
        let entries = installation.results.entries
        return jobs.allSatisfy { job in
            job.recipients.allSatisfy { entries[Addressee(job: job.id, token: $0.token)] != nil }
        }
    }
}
