import Foundation
import PostgresClient
import PushModel
import Store
import TestTraits
import Testing
import WorkerTestSupport

@Suite struct FleetAnswersTests {
    private typealias Report = WorkerReport.AnswerReport

    private func member(_ name: String, _ answers: [Report]?, silentFor seconds: Int = 1) -> FleetMember {
        var report = WorkerReport(host: "web-3", pid: 4711, state: .ready)
        if let answers { report.setAnswers(answers) }
        return FleetMember(
            id: name, name: name, version: "1", outputs: ["push"], uptimeSeconds: 60, silentSeconds: seconds,
            report: report)
    }

    private func report(_ output: String, _ counts: (Int, Int, Int), p50: Int = 50, p99: Int = 100) -> Report {
        Report(
            output: output, environment: "production", accepted: counts.0, retried: counts.1, refused: counts.2,
            p50: p50,
            p99: p99)
    }

    @Test func addsCountsAndNamesSlowestWorker() throws {
        let fleet = [
            member("push-1", [report("apns", (100, 2, 3), p50: 200, p99: 500)]),
            member("push-2", [report("apns", (50, 1, 0), p50: 100, p99: 2_000), report("fcm", (7, 0, 0))]),
            member("push-3", nil), member("push-4", [report("apns", (9_000, 0, 0))], silentFor: 20),
        ]
        let answers = fleet.answers
        #expect(answers.map(\.output) == ["apns", "fcm"])
        let apns = try #require(answers.first)
        let counts = [apns.accepted, apns.retried, apns.refused]
        #expect(counts == [150, 3, 3])
        #expect(apns.p50.milliseconds == 200 && apns.p50.worker == "push-1")
        #expect(apns.p99.milliseconds == 2_000 && apns.p99.worker == "push-2")
        #expect(fleet.withoutAnswers == ["push-3"])
    }

    @Test func keepsOutputsWithMostAnswers() {
        var report = WorkerReport(host: "web-3", pid: 4711, state: .ready)
        report.setAnswers((0..<20).map { self.report("output-\($0)", ($0, 0, 0)) })
        #expect(report.answers?.count == 8 && report.answers?.allSatisfy { $0.accepted >= 12 } == true)
    }

    @Test(.needsDatabase) func dropsAnswersIfRowIsFull() async throws {
        try await TestDatabase.withMigrated { database in
            let repository = WorkerRepository(database.pool)
            let worker = RunningWorker(
                id: UUID().uuidString.lowercased(), name: "push-1", version: "1", outputs: ["apns"], start: .now)
            for (length, isKept) in [(1, true), (190, false)] {
                let problem = WorkerReport.ProblemReport(
                    kind: "provider.failing", party: "provider", severity: "trouble", subject: "apns production",
                    text: String(repeating: "x", count: length), since: Timestamp(seconds: 1_800_000_000))
                var report = WorkerReport(
                    host: String(repeating: "h", count: length), pid: 4711, state: .hindered,
                    obstacle: String(repeating: "o", count: length),
                    lanes: [Lane](repeating: .normal, count: 10).map { .init(lane: $0, waiting: 1_000_000) },
                    minute: Dictionary(uniqueKeysWithValues: (0..<20).map { ("kind_\($0)", 1_000_000) }),
                    problems: [WorkerReport.ProblemReport](repeating: problem, count: 8))
                report.setAnswers(
                    (0..<8).map { self.report(String(repeating: "\($0)", count: length), (1_000, 1_000, 1_000)) })
                _ = try await repository.renew(worker, quotas: [], report: report)
                let found = try #require(try await repository.fleet().first?.report)
                #expect((found.answers != nil) == isKept && found.minute.count == 20 && found.lanes.count == 10)
                if isKept { #expect(found == report) }
                let bytes = try await database.pool.query(
                    "SELECT octet_length(report::text)::int AS bytes FROM martlet.workers")
                #expect(try bytes[0]["bytes"].integer <= 4_096)
            }
        }
    }
}
