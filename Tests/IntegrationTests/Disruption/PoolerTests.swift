import PushModel
import Foundation
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// `martlet migrate` and `martlet worker` with PgBouncer in transaction mode between them and PostgreSQL.
@Suite(
    .needsServers,
    .needsPooler)
struct PoolerTests {
    private static let app = "com.example.shop"

    @Test func aWorkerBehindAPoolerDoesAllItsWork() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            try await Pooler.with(server: installation.servers.database, backends: 4) { pooler in
                let pooled = ["database.url": try pooler.url(of: installation.database.url)]
                for changes in [pooled, [:], pooled] {
                    let migrated = try await installation.martlet(["migrate"], changes)
                    #expect(migrated.status == 0 && migrated.output.contains("up to date"), "\(migrated)")
                }
                try await installation.withWorker(pooled) { worker in
                    let dead = Token.random(Token.dead)
                    let tokens = Token.random(count: 5) + [dead]
                    try await installation.publish([JobText("first", app: Self.app, to: tokens)])
                    try await installation.results.wait(for: 6)
                    #expect(installation.results.tally["unregistered Unregistered"] == 1)
                    let marked = try await DeviceTokenRegistry(installation.database.pool).show(
                        token: dead, output: "apns", form: .hex(maximumDigits: 512))
                    #expect(marked.first?.unregisteredAt != nil)

                    let cancelled = try await installation.martlet(["job", "cancel", "second"], pooled)
                    #expect(cancelled.status == 0, "\(cancelled)")
                    try await eventually("the worker knows: \(worker.errors)") {
                        worker.errors.contains("Cancellations read") && worker.errors.contains("changes")
                    }
                    try await installation.publish([JobText("second", app: Self.app, to: Token.random(count: 2))])
                    try await installation.results.wait(for: 8)
                    #expect(installation.results.tally["failed Cancelled"] == 2, "\(installation.results.tally)")
                }
            }
        }
    }
}
