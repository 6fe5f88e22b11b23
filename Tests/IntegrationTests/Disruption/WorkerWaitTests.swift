import Foundation
import PostgresClient
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// A worker that waits for a server or for a locked table.
@Suite(.needsServers)
struct WorkerWaitTests {
    /// The maximum time that a waiting worker takes to stop.
    private static let soon: Duration = .seconds(3)

    /// Locks a table against all other sessions while `body` runs. The argument of `body` returns whether a session
    /// waits for the lock.
    private func withLock(
        on table: String, in installation: Installation, _ body: (() async throws -> Bool) async throws -> Void
    ) async throws {
        let holder = try await PostgresConnection.connect(installation.database.configuration)
        try await holder.query("BEGIN")
        try await holder.query("LOCK TABLE martlet.\(table)")
        try await body {
            try await !installation.database.pool.query(
                "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            ).isEmpty
        }
        await holder.close()
    }

    @Test func reportsLockedTableAndRetries() async throws {
        try await Installation.with { installation in
            let port = try freePort()
            var started: Subprocess?
            defer { started?.signal(SIGKILL) }
            try await withLock(on: "schema_migrations", in: installation) { _ in
                let worker = try installation.startWorker(["http.listen": "127.0.0.1:\(port)"])
                started = worker
                try await eventually("the worker names the reason: \(worker.errors)") {
                    let ready = try await WorkerEndpoint.answer("ready", port: port)
                    return ready.contains("lock timeout") && ready.hasSuffix("\n503")
                }
                #expect(worker.errors.contains("Waiting for the database"))
            }
            let worker = try #require(started)
            try await eventually("the worker is ready: \(worker.errors)") {
                try await WorkerEndpoint.answer("ready", port: port) == "ready\n200"
            }
            worker.signal(SIGTERM)
            #expect(try await worker.finish().status == 0)
        }
    }

    @Test(arguments: ["schema_migrations", "apps", "cancelled_jobs"])
    func stopsAtOnceWhileStartWaitsForLock(table: String) async throws {
        try await Installation.with { installation in
            try await withLock(on: table, in: installation) { isWaitedFor in
                let worker = try installation.startWorker()
                defer { worker.signal(SIGKILL) }
                try await eventually("the worker waits for the lock: \(worker.errors)", isWaitedFor)
                worker.signal(SIGTERM)
                let finished = try await worker.finish(within: Self.soon)
                #expect(finished.status == 0, "\(finished)")
            }
        }
    }

    @Test func stopsAtOnceWhileStatementWaitsForLock() async throws {
        try await Installation.with { installation in
            let worker = try installation.startWorker()
            defer { worker.signal(SIGKILL) }
            try await eventually("the worker starts: \(worker.errors)") { worker.errors.contains("Worker started") }
            try await withLock(on: "apps", in: installation) { isWaitedFor in
                try await eventually("the worker waits for the lock: \(worker.errors)", isWaitedFor)
                worker.signal(SIGTERM)
                let finished = try await worker.finish(within: Self.soon)
                #expect(finished.status == 0, "\(finished)")
            }
        }
    }

    @Test(arguments: [
        ("database.url", "postgres", "Waiting for the database"), ("amqp.url", "amqp", "Cannot connect to the broker"),
    ])
    func stopsAtOnceWhileWaitingForServer(key: String, scheme: String, log: String) async throws {
        try await Installation.with { installation in
            let refusing = try RefusingPort()
            let worker = try installation.startWorker([key: "\(scheme)://127.0.0.1:\(refusing.port)/none"])
            defer { worker.signal(SIGKILL) }
            try await eventually("the worker waits: \(worker.errors)") { worker.errors.contains(log) }
            worker.signal(SIGTERM)
            let finished = try await worker.finish(within: Self.soon)
            #expect(finished.status == 0, "\(finished)")
            let afterwards = finished.errors.components(separatedBy: "Worker stopped").dropFirst()
            #expect(!afterwards.contains { $0.contains("Worker started") }, "\(finished)")
        }
    }
}
