import Contract
import Crypto
import DeliveryPipeline
import Foundation
import PostgresClient
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// The processes and commands with PgBouncer in transaction mode between them and PostgreSQL.
@Suite(
    .needsServers,
    .needsPooler)
struct PoolerTests {
    private static let app = "com.example.shop"

    @Test func migratesDeliversAndCancelsBehindPooler() async throws {
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
                    try await eventually("the worker reads the cancellation: \(worker.errors)") {
                        worker.errors.contains("Cancellations read") && worker.errors.contains("changes")
                    }
                    try await installation.publish([JobText("second", app: Self.app, to: Token.random(count: 2))])
                    try await installation.results.wait(for: 8)
                    #expect(installation.results.tally["failed Cancelled"] == 2, "\(installation.results.tally)")
                }
            }
        }
    }

    /// The configuration for a pooler is `database.listen: false`. With it, all processes and commands find changes by
    /// polling.
    @Test func findsChangesByPollingBehindPooler() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            try await Pooler.with(server: installation.servers.database, backends: 4) { pooler in
                let pooled = [
                    "database.url": try pooler.url(of: installation.database.url), "database.listen": "false",
                ]
                let listening = try await installation.martlet(["doctor"], ["database.url": pooled["database.url"]])
                #expect(listening.output.contains("WARN  notify"), "\(listening)")
                let migrated = try await installation.martlet(["migrate"], pooled)
                #expect(migrated.status == 0, "\(migrated)")
                #expect(try await count("pg_locks WHERE locktype = 'advisory'", installation) == 0)
                try await installation.withWorker(pooled) { worker in
                    try await installation.withLedger(pooled) { ledger in
                        let dead = Token.random(Token.dead)
                        try await installation.publish([JobText("first", app: Self.app, to: [Token.random(), dead])])
                        try await installation.results.wait(for: 2)
                        #expect(try await installation.markedTokens(of: Self.app) == [dead.lowercased()])
                        try await eventually("the ledger has both outcomes: \(ledger.errors)") {
                            try await installation.martlet(["why", "--job", "first"], pooled).output.contains(
                                "2 outcomes are recorded")
                        }
                    }
                    // The worker finds the operators' changes by polling.
                    let paused = try await installation.martlet(["app", "set", Self.app, "--paused"], pooled)
                    #expect(paused.status == 0, "\(paused)")
                    let key = installation.path("AuthKey_KEY7654321.p8")
                    _ = try installation.write(P256.Signing.PrivateKey().pemRepresentation, to: "AuthKey_KEY7654321.p8")
                    let imported = try await installation.martlet(
                        ["credential", "import", key, "--team", "TEAM000009"], pooled)
                    #expect(imported.status == 0, "\(imported)")
                    try await eventually("the worker reads that the app is paused: \(worker.errors)") {
                        let number = UInt32.random(in: 0 ... .max)
                        try await installation.publish([
                            JobText("later-\(number)", app: Self.app, to: [Token.random()])
                        ])
                        return worker.errors.contains("is paused")
                    }
                    #expect(try await count("pg_stat_activity WHERE query LIKE 'LISTEN%'", installation) == 0)
                }
                let doctor = try await installation.martlet(["doctor"], pooled)
                #expect(doctor.status == 0 && doctor.output.contains("ok    notify        not used"), "\(doctor)")
            }
            try await installation.broker.delete(queues: ["\(installation.names.prefix).ledger"], exchanges: [])
        }
    }

    /// Doctor tests whether notifications arrive. The pooler's sessions must not listen afterwards.
    @Test func doctorLeavesNoListeningSession() async throws {
        try await Installation.with { installation in
            try await Pooler.with(server: installation.servers.database, backends: 2) { pooler in
                let url = try pooler.url(of: installation.database.url)
                let configuration = try PostgresConfiguration(url: url)
                // Another client uses one of the two sessions while the command runs.
                let other = try await PostgresConnection.connect(configuration)
                try await other.transaction { _ in
                    let doctor = try await installation.martlet(["doctor"], ["database.url": url])
                    #expect(doctor.output.contains("WARN  notify        notifications do not arrive"), "\(doctor)")
                    #expect(!doctor.output.contains("until it is closed"), "\(doctor)")
                }
                try await other.transaction { first in
                    let second = try await PostgresConnection.connect(configuration)
                    try await second.transaction { second in
                        let sessions = [try await listening(first), try await listening(second)]
                        #expect(sessions[0].session != sessions[1].session)
                        #expect(sessions.flatMap(\.channels) == [], "\(sessions)")
                    }
                    await second.close()
                }
                await other.close()
            }
        }
    }

    /// Returns the session that the pooler assigned to a connection, and the channels on which the session listens.
    private func listening(_ connection: PostgresConnection) async throws -> (session: Int, channels: [String]) {
        let session = try await connection.query("SELECT pg_backend_pid() AS pid")[0]["pid"].integer
        let channels = try await connection.query("SELECT pg_listening_channels() AS channel")
        return (session, try channels.map { try $0["channel"].text })
    }

    /// Returns the number of rows of a system view that belong to the installation's database.
    private func count(_ rows: String, _ installation: Installation) async throws -> Int {
        try await installation.database.pool.query(
            "SELECT count(*)::int AS count FROM \(rows) \(rows.contains("WHERE") ? "AND" : "WHERE") "
                + (rows.hasPrefix("pg_locks")
                    ? "database = (SELECT oid FROM pg_database WHERE datname = current_database())"
                    : "datname = current_database()"))[0]["count"].integer
    }
}
