import APNSSimulator
import Foundation
import PostgresClient
import PushModel
import PushTestSupport
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// A fleet of ten workers that share a key for two simulated hours. The workers start and stop at random, their
/// connections are cut, and their clocks are wrong. They share nothing but the database. The simulator checks that they
/// keep Apple's rules for provider tokens.
@Suite(.needsServers, .endsAHang)
struct FleetTests {
    private static let app = "com.example.shop"
    private static let minute: Int64 = 60_000
    private static let duration = 120 * minute

    /// The results of a run.
    private struct Report {
        /// The number of pushes, by verdict and reason.
        var outcomes: [String: Int] = [:]
        var starts = 0
        var cuts = 0
        /// The number of pushes that were accepted while the database was away.
        var sentWithoutDatabase = 0
        /// The outcomes of the last round.
        var lastOutcomes: Set<String> = []
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func keepsApplesTokenRules(seed: UInt64) async throws {
        try await withFleet(seed: seed) { installation, log, report in
            try await check(installation, log, report)
            #expect(report.outcomes["hold NoProviderToken"] == nil, "\(report)")
        }
    }

    /// Workers that start while the database is away can't send. Workers that already run continue with the tokens they
    /// have.
    @Test(arguments: [4, 5] as [UInt64])
    func keepsApplesTokenRulesDuringDatabaseOutages(seed: UInt64) async throws {
        let away = [20...30, 55...65, 90...100].map { $0.lowerBound * Self.minute..<$0.upperBound * Self.minute }
        try await withFleet(seed: seed, away: away) { installation, log, report in
            try await check(installation, log, report)
            #expect(report.outcomes["hold NoProviderToken", default: 0] > 0, "\(report)")
            #expect(report.sentWithoutDatabase > 300, "\(report)")
        }
    }

    private func check(_ installation: Installation, _ log: WatchedTokenStore.Log, _ report: Report) async throws {
        let intervals = zip(log.made, log.made.dropFirst()).map { $1 - $0 }
        #expect(intervals.allSatisfy { $0 >= 20 * Self.minute }, "\(intervals)")
        #expect((4...6).contains(log.made.count), "\(intervals)")
        let stored = try await installation.database.pool.query("SELECT issued_at FROM martlet.provider_tokens")
        #expect(try stored.map { try $0["issued_at"].milliseconds } == [log.made.last])
        let counters = await installation.simulator.counters()
        #expect(counters.byReason == [:])
        // The simulator's records must agree.
        let use = try #require(installation.simulator.tokenUses.values.first)
        #expect(installation.simulator.tokenUses.count == 1)
        #expect((use.shortestInterval ?? .max) >= 20 * 60, "\(use.issued)")
        #expect(use.updatesTooSoon == 0 && use.expired == 0)
        #expect(counters.connections > 100, "\(report)")
        #expect(report.cuts > 10 && report.starts > 30, "\(report)")
        #expect(report.outcomes["sent", default: 0] > 2_000, "\(report)")
        // A connection may be cut while a push is on it.
        let expected: Set = ["sent", "unknown ConnectionLost", "hold NoProviderToken"]
        #expect(Set(report.outcomes.keys).isSubset(of: expected), "\(report)")
        #expect(report.lastOutcomes == ["sent"], "\(report)")
    }

    private func withFleet(
        seed: UInt64, away: [Range<Int64>] = [],
        _ body: (Installation, WatchedTokenStore.Log, Report) async throws -> Void
    ) async throws {
        let clock = SimulatedClock()
        try await Installation.with(simulator: {
            // The simulator's clock is five minutes ahead, so it refuses tokens that are more than 55 minutes old.
            $0.now = { Date(timeIntervalSince1970: Double(clock.now + 5 * Self.minute) / 1000) }
        }) { installation in
            try await installation.addTokenApp(Self.app)
            let credential = try await installation.credential(of: Self.app)
            let log = WatchedTokenStore.Log()
            let report = try await run(installation, credential, clock, log, seed: seed, away: away)
            try await body(installation, log, report)
        }
    }

    private func run(
        _ installation: Installation, _ credential: Credential, _ clock: SimulatedClock, _ log: WatchedTokenStore.Log,
        seed: UInt64, away: [Range<Int64>]
    ) async throws -> Report {
        var generator = SplitMix64(seed: seed)
        var report = Report()
        var workers: [FleetWorker?] = Array(repeating: nil, count: 10)
        let start = clock.now
        while clock.now - start < Self.duration {
            let isAway = away.contains { $0.contains(clock.now - start) }
            log.isStoreAway = isAway
            let recorder = OutcomeRecorder()
            var count = 0
            if Int.random(in: 0..<20, using: &generator) == 0 {
                report.cuts += 1
                await installation.simulator.cutConnections()
            }
            for index in workers.indices {
                if let worker = workers[index] {
                    // A worker runs for about ten minutes.
                    if Int.random(in: 0..<30, using: &generator) == 0 {
                        await worker.stop()
                        workers[index] = nil
                    }
                } else if Int.random(in: 0..<6, using: &generator) == 0 {
                    report.starts += 1
                    workers[index] = FleetWorker(
                        installation, clock: clock, log: log,
                        skew: .random(in: -3 * Self.minute...3 * Self.minute, using: &generator),
                        started: clock.now - .random(in: 0...1_000 * Self.minute, using: &generator))
                }
                guard let worker = workers[index], Bool.random(using: &generator) else { continue }
                let job = try job(credential, to: Int.random(in: 1...3, using: &generator), using: &generator)
                count += job.job.recipients.count
                worker.send(job, reportingTo: recorder)
            }
            await recorder.wait(for: count)
            let words = recorder.outcomes.map { outcome in
                "\(outcome.verdict)" + (outcome.reason.map { " \($0)" } ?? "")
            }
            for word in words { report.outcomes[word, default: 0] += 1 }
            if isAway { report.sentWithoutDatabase += words.count { $0 == "sent" } }
            if !words.isEmpty { report.lastOutcomes = Set(words) }
            guard words.count == count else { throw Failure(description: "\(words) of \(count), \(report)") }
            try await eventually("no worker waits for the token store") { !log.isAsking }
            clock.advance(.random(in: 10_000...30_000, using: &generator))
        }
        for worker in workers { await worker?.stop() }
        return report
    }

    /// Returns a job for one of the two environments at random. The pools of both environments share tokens.
    private func job(
        _ credential: Credential, to count: Int, using generator: inout SplitMix64
    ) throws -> RoutedJob {
        let tokens = Token.random(count: count).map { "\"\($0)\"" }.joined(separator: ",")
        return RoutedJob(
            job: try Job.sample(recipients: "[\(tokens)]"),
            environment: Bool.random(using: &generator) ? .production : .sandbox, credential: credential,
            lane: .normal, attempt: 1, redelivered: false, ledgerID: 0)
    }
}
