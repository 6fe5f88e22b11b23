import PostgresClient
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// Tests that two sessions that write the same rows in opposite orders never deadlock (40P01).
///
/// Each test locks the middle one of three rows until both sessions wait. Without a common order, each session then
/// holds a row that the other one needs.
@Suite(.needsDatabase, .endsAHang)
struct LockOrderTests {
    private static let tokens = ["aa", "bb", "cc"]
    private static let worker = "w"

    /// Locks `row`, starts both operations, and unlocks the row when both wait for a lock.
    private func whileLocked(
        _ row: String, _ database: TestDatabase, _ first: @escaping @Sendable (PostgresPool) async throws -> Void,
        _ second: @escaping @Sendable (PostgresPool) async throws -> Void
    ) async throws {
        let pool = database.patientPool()
        defer { pool.close() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            try await database.pool.transaction { connection in
                let locked = try await connection.query("SELECT FROM \(row) FOR UPDATE")
                try #require(locked.count == 1)
                group.addTask { try await first(pool) }
                try await waiting(1, pool)
                group.addTask { try await second(pool) }
                try await waiting(2, pool)
            }
            try await group.waitForAll()
        }
    }

    private func waiting(_ count: Int, _ pool: PostgresPool) async throws {
        try await eventually("\(count) sessions wait for a lock") {
            let row = try await pool.query(
                """
                SELECT count(*) AS waiting FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock'
                """)[0]
            return try row["waiting"].integer == count
        }
    }

    private func refusals(_ database: TestDatabase) async throws -> [Refusal] {
        let credential = try await CredentialRepository(database.pool).importCredential(
            .sampleKey("f1", team: "TEAM000001"), keyring: .sample())
        // The refusals are written one by one, so that the table stores the rows in the order `["c", "b", "a"]`.
        let refusals = ["c", "b", "a"].map {
            Refusal(
                credential: credential, environment: .sandbox, topic: $0, reason: "r",
                since: Timestamp(milliseconds: 1_700_000_000_000))
        }
        for refusal in refusals {
            try await RefusalRepository(database.pool).write([refusal], ended: [], worker: Self.worker)
        }
        return refusals
    }

    @Test func locksRefusalRowsInSameOrderInAllWriters() async throws {
        try await TestDatabase.withMigrated { database in
            let refusals = try await refusals(database)
            try await whileLocked(
                "martlet.refusals WHERE topic = 'b'", database,
                { try await RefusalRepository($0).write(refusals, ended: [], worker: "one") },
                { try await RefusalRepository($0).write(refusals.reversed(), ended: [], worker: "two") })
            #expect(try await RefusalRepository(database.pool).list().count == 3)
        }
    }

    @Test func endsAndRecordsRefusalsInOneOrder() async throws {
        try await TestDatabase.withMigrated { database in
            let refusals = try await refusals(database)
            try await whileLocked(
                "martlet.refusals WHERE topic = 'b'", database,
                { try await RefusalRepository($0).write([], ended: refusals, worker: "one") },
                { try await RefusalRepository($0).write(refusals.reversed(), ended: [], worker: "two") })
        }
    }

    @Test func removesRefusalsOfWorkerInOneOrder() async throws {
        try await TestDatabase.withMigrated { database in
            let refusals = try await refusals(database)
            try await whileLocked(
                "martlet.refusals WHERE topic = 'b'", database,
                { try await RefusalRepository($0).remove(worker: Self.worker, timeout: .seconds(600)) },
                { try await RefusalRepository($0).write(refusals.reversed(), ended: [], worker: Self.worker) })
        }
    }

    @Test func skipsLockedStaleRefusals() async throws {
        try await TestDatabase.withMigrated { database in
            _ = try await refusals(database)
            try await database.pool.query("UPDATE martlet.refusals SET last_refused_at = now() - interval '6 minutes'")
            try await database.pool.transaction { connection in
                try await connection.query("SELECT FROM martlet.refusals WHERE topic = 'b' FOR UPDATE")
                let pool = PostgresPool(database.configuration, logger: database.logger)
                defer { pool.close() }
                try await RefusalRepository(pool).write([], ended: [], worker: "another")
                let left = try await pool.query("SELECT topic FROM martlet.refusals")
                #expect(try left.map { try $0["topic"].text } == ["b"])
            }
        }
    }

    @Test func removesTokensOfAppInOrderOfMarks() async throws {
        try await TestDatabase.withMigrated { database in
            let keys = Self.tokens.map {
                DeviceTokenKey(
                    output: "apns", app: "a", environment: .production, form: .hex(maximumDigits: 512), token: $0)
            }
            for key in keys.reversed() {
                try await DeviceTokenRegistry(database.pool).register([
                    TokenRegistration(key: key, registeredAt: Timestamp(milliseconds: 1))
                ])
            }
            // Forces a plan that reads the table in its physical order, as for a large table.
            for plan in ["indexscan", "indexonlyscan", "bitmapscan"] {
                try await database.pool.query("ALTER DATABASE \(database.name) SET enable_\(plan) = off")
            }
            try await whileLocked(
                "martlet.device_tokens WHERE token = 'bb'", database,
                { _ = try await DeviceTokenRegistry($0).forgetSome(app: "a", output: "apns") },
                { pool in
                    try await DeviceTokenRegistry(pool).mark(
                        keys.map {
                            TokenMark(key: $0, unregisteredAt: Timestamp(milliseconds: 2), reason: "Unregistered")
                        })
                })
        }
    }
}
