import APNSSimulator
import DeliveryPipeline
import Foundation
import PostgresClient
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// Workers whose certificates expire while they run.
@Suite(.needsServers, .endsAHang)
struct ExpiredCredentialTests {
    private static let shop = "com.example.shop", news = "com.example.news"

    @Test func holdsOnlyJobsOfExpiredCertificateUntilRenewal() async throws {
        try await Installation.with { installation in
            let expiring = try await installation.addCertificateApp(Self.shop)
            try await installation.addCertificateApp(Self.news)
            try await InProcessWorker.run(in: installation) { worker in
                try await installation.publish([job("shop-1", Self.shop), job("news-1", Self.news)])
                try await installation.results.wait(for: 2)
                try await installation.database.pool.query(
                    "UPDATE martlet.credentials SET not_after = now() WHERE id::text = $1", [.text(expiring)])
                // The worker still sends the jobs that it routes before it reads the change. The first held job shows
                // that the worker has read the change.
                var number = 1
                try await eventually("a job is held: \(worker.counts)") {
                    number += 1
                    try await installation.publish([job("shop-\(number)", Self.shop)])
                    return worker.counts.jobsHeld > 0
                }
                let sent = installation.results.count
                try await installation.publish((0..<20).map { job("waits-\($0)", Self.shop) })
                try await installation.publish((0..<20).map { job("news-go-on-\($0)", Self.news) })
                try await eventually("one app's jobs are held, the other's sent: \(installation.results.tally)") {
                    installation.results.count >= sent + 20 && worker.counts.jobsHeld > 20
                }
                #expect(installation.results.entries.keys.allSatisfy { !$0.job.hasPrefix("waits") })

                try await installation.addCertificateApp(Self.shop)
                try await installation.results.wait(for: number + 1 + 40)
            }
            #expect(Set(installation.results.tally.keys) == ["sent"])
            #expect(installation.results.entries.values.allSatisfy { $0.first?.outcome.attempts == 1 })
        }
    }

    @Test func warnsOfExpiringAndExpiredCredentials() async throws {
        try await Installation.with { installation in
            let expiring = try await installation.addCertificateApp(Self.shop)
            let expired = try await installation.addCertificateApp(Self.news)
            try await installation.database.pool.query(
                "UPDATE martlet.credentials SET not_after = now() + interval '6 days 12 hours' WHERE id::text = $1",
                [.text(expiring)])
            let port = try freePort()
            try await installation.withWorker(["http.listen": "127.0.0.1:\(port)"]) { worker in
                try await eventually(worker.errors) { worker.errors.contains("A credential expires soon") }
                let warning = worker.errors.split(separator: "\n").filter { $0.contains("A credential expires soon") }
                #expect(warning.count == 1 && warning[0].contains(expiring) && warning[0].contains("days_left=6"))
                try await installation.database.pool.query(
                    "UPDATE martlet.credentials SET not_after = now() - interval '1 hour' WHERE id::text = $1",
                    [.text(expired)])
                try await eventually(worker.errors) {
                    worker.errors.contains("A credential has expired")
                }
                let metrics = try await metrics(port: port)
                let end =
                    /martlet_credential_expiry_timestamp_seconds\{credential="[-0-9a-f]+",.*team="TEAM000002"\} \d/
                #expect(metrics.contains(end))
            }
            let listed = try await installation.martlet(["credential", "list"])
            for days in ["6", "-1"] {
                let row = try Regex("active +\(days) ")
                #expect(listed.output.contains(row), "\(days): \(listed.output)")
            }
        }
    }

    private func job(_ id: String, _ app: String) -> JobText { JobText(id, app: app, to: [Token.random()]) }

    private func metrics(port: Int) async throws -> String {
        try await Subprocess.run(["/usr/bin/curl", "-sf", "http://127.0.0.1:\(port)/metrics"]).output
    }
}
