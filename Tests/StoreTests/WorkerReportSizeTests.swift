import Foundation
import PostgresClient
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// Tests of the size limit of a worker's report: 4,096 bytes of JSON as PostgreSQL writes it.
@Suite(.needsDatabase, .endsAHang) struct WorkerReportSizeTests {
    private func report(problems: Int) -> WorkerReport {
        var report = WorkerReport(
            host: "web-3.eu-central-1.compute.internal", pid: 4711, state: .hindered,
            obstacle: "consuming: false, publishing: true",
            lanes: Lane.allCases.map { .init(lane: $0, waiting: 10_000, open: 10_000, rate: 10_000, age: 10_000) },
            rate: 30_000, minute: ["sent": 1_800_000, "rejected": 1_000, "unregistered": 1_000, "retried": 1_000],
            oldestJobSeconds: 600,
            problems: (0..<problems).map { number in
                .init(
                    kind: "provider.unreachable", party: "network", severity: "trouble", subject: "apns \(number)",
                    text: String(repeating: "\"", count: 100), since: Timestamp(seconds: 1_800_000_000))
            })
        report.setAnswers(
            ["apns", "fcm", "webhook", "webpush"].map {
                .init(
                    output: $0, environment: "production", accepted: 1_800_000, retried: 1_000, refused: 1_000,
                    p50: 100, p99: 5_000)
            })
        return report
    }

    /// The longest history of one hour has 2,269 bytes, the longest one of half an hour 1,219 bytes.
    @Test(arguments: [(0, 2_269), (8, 1_219)]) func fitsHistoryIntoRow(problems: Int, bytes: Int) async throws {
        try await TestDatabase.withMigrated { database in
            var report = report(problems: problems)
            report.setHistory([2_269, 1_219].lazy.map { String(repeating: "x", count: $0) })
            #expect(report.history?.utf8.count == bytes)
            let repository = WorkerRepository(database.pool)
            let worker = RunningWorker(
                id: UUID().uuidString.lowercased(), name: "push-1", version: "0.1.0", outputs: ["apns"], start: .now)
            _ = try await repository.renew(worker, quotas: [], report: report)
            #expect(try await repository.fleet().first?.report == report)
            let stored = try await database.pool.query(
                "SELECT octet_length(report::text)::bigint AS bytes FROM martlet.workers")[0]["bytes"].integer
            #expect(stored <= 4_096)
        }
    }

    /// The report may grow after its history is set.
    @Test func leavesOutHistoryThatDoesNotFit() async throws {
        try await TestDatabase.withMigrated { database in
            var report = report(problems: 0)
            report.setHistory([String(repeating: "x", count: 2_269)])
            report.problems = self.report(problems: 8).problems
            let repository = WorkerRepository(database.pool)
            let worker = RunningWorker(
                id: UUID().uuidString.lowercased(), name: "push-1", version: "0.1.0", outputs: ["apns"], start: .now)
            _ = try await repository.renew(worker, quotas: [], report: report)
            let read = try #require(try await repository.fleet().first?.report)
            #expect(read.history == nil && read.answers == report.answers && read.problems == report.problems)
        }
    }
}
