import PostgresClient
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport
import Routing

/// Tests of all database operations through PgBouncer in transaction mode, where two statements outside a transaction
/// may run in different sessions.
@Suite(
    .needsDatabase,
    .needsPooler, .endsAHang)
struct PoolerTests {
    private func withPooler(
        backends: Int, _ body: (TestDatabase, PostgresConfiguration) async throws -> Void
    ) async throws {
        let server = try #require(TestServers.database)
        try await TestDatabase.withEmpty { database in
            try await Pooler.with(server: server, backends: backends) { pooler in
                let url = try pooler.url(of: database.url)
                try await body(database, PostgresConfiguration(url: url, applicationName: "pooled"))
            }
        }
    }

    @Test func migrationLeavesNoLockBehind() async throws {
        try await withPooler(backends: 2) { database, pooled in
            let through = Migrations(pooled, logger: database.logger)
            #expect(try await through.apply() == Migration.all)
            let locks = try await database.pool.query(
                """
                SELECT FROM pg_locks WHERE locktype = 'advisory'
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                """)
            #expect(locks.isEmpty)
            #expect(try await Migrations(database.configuration, logger: database.logger).apply() == [])
            #expect(try await through.apply() == [])
            try await through.verify()
        }
    }

    /// Two clients share one session, but the time limit of one must not apply to the other.
    @Test func limitsTimePerStatement() async throws {
        try await withPooler(backends: 1) { _, pooled in
            var patient = pooled
            patient.queryTimeout = nil
            let (limited, unlimited) = (
                try await PostgresConnection.connect(pooled), try await PostgresConnection.connect(patient)
            )
            func look(_ connection: PostgresConnection) async throws -> String {
                let row = try await connection.query(
                    "SELECT pg_backend_pid() || ' ' || current_setting('statement_timeout') AS text")[0]
                return try row["text"].text
            }
            let first = try await look(limited)
            let second = try await look(unlimited)
            #expect(first.hasSuffix(" 25s") && second.hasSuffix(" 0"), "\(first), \(second)")
            #expect(first.split(separator: " ").first == second.split(separator: " ").first)
            await limited.close()
            await unlimited.close()
        }
    }

    @Test func cancelsTimedOutStatementThroughPooler() async throws {
        try await withPooler(backends: 2) { database, pooled in
            var impatient = pooled
            impatient.queryTimeout = .milliseconds(300)
            let connection = try await PostgresConnection.connect(impatient)
            let error = await #expect(throws: PostgresError.self) {
                try await connection.execute(script: "SELECT pg_sleep(601)")
            }
            #expect(error?.code == .timedOut)
            try await eventually("the statement is cancelled") {
                try await database.pool.query(
                    "SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(601)' AND datname = current_database()"
                ).isEmpty
            }
        }
    }

    /// PgBouncer does not forward notifications, so changes are found by polling.
    @Test func followsChangesByPolling() async throws {
        try await withPooler(backends: 3) { database, pooled in
            try await database.migrate()
            let pool = PostgresPool(pooled, logger: database.logger)
            let changes = ChangeListener(pooled, logger: database.logger)
            let store = try await SnapshotStore.load(
                from: pool, keyring: .sample(), pollInterval: .milliseconds(50), logger: database.logger)
            let feed = try await CancellationFeed.load(
                from: pool, changes: changes, pollInterval: .milliseconds(50), logger: database.logger)
            let (seen, sees) = AsyncStream.makeStream(of: CancellationFeed.Event.self)
            let running = Task {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { await changes.run() }
                    group.addTask { await store.run(on: changes) }
                    group.addTask { await feed.run { sees.yield($0) } }
                }
            }
            try await AppRepository(database.pool).set(
                App(bundleID: "com.example.shop", accounts: ["apns": AppAccount("TEAM000001")]))
            try await eventually("the app is loaded") { store.current.app("com.example.shop") != nil }
            #expect(try await CancellationRepository(pool).cancel("order-1"))
            var known = feed.initial
            for await event in seen {
                known.apply(event)
                if known.contains("order-1") { break }
            }
            running.cancel()
            await running.value
            pool.close()
        }
    }
}
