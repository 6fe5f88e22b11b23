import PostgresClient
import PushModel
import Store
import TestTraits
import Testing
import WorkerTestSupport

@Suite(.needsDatabase, .endsAHang)
struct LedgerRepositoryTests {
    private static let at = Timestamp(milliseconds: 1_795_168_800_123)

    private func row(_ job: String, _ kind: String, token: String, ref: String? = nil) -> LedgerRow {
        var row = LedgerRow(at: Self.at, kind: kind, job: job)
        row.output = "push"
        row.app = "com.example.shop"
        row.environment = "production"
        row.ref = ref
        row.recipient = LedgerRow.hash(of: token, output: "push")
        row.status = 200
        row.reason = kind == "sent" ? nil : "BadX"
        row.providerID = "id-\(token)"
        row.attempts = 2
        row.isRedelivered = true
        row.worker = "w"
        return row
    }

    @Test func returnsRepeatedOutcomesOnce() async throws {
        try await TestDatabase.withMigrated { database in
            let ledger = LedgerRepository(database.pool)
            #expect(try await ledger.begin() == nil)
            try await ledger.keep(days: 14)
            // The partition of the day exists, but the ledger has no first outcome yet.
            #expect(try await ledger.begin() == LedgerBegin(first: nil))
            let before = Timestamp.now
            let rows = [
                row("order-1", "sent", token: "a", ref: "user-1"), row("order-1", "rejected", token: "b"),
                row("order-2", "sent", token: "a", ref: "user-1"),
            ]
            for _ in 0..<2 { try await ledger.add(rows) }
            let first = try #require(try await ledger.begin()?.first)
            #expect((before.milliseconds...Timestamp.now.milliseconds).contains(first.milliseconds))
            try await ledger.add([row("order-4", "sent", token: "c")])
            #expect(try await ledger.begin()?.first == first)
            #expect(try await ledger.rows(of: "order-1", ref: "user-1", most: 10) == [rows[0]])
            let hashes = [LedgerRow.hash(of: "b", output: "push"), LedgerRow.hash(of: "b", output: "other")]
            #expect(try await ledger.rows(of: "order-1", recipients: hashes, most: 10) == [rows[1]])
            #expect(try await ledger.sums(of: "order-1").map { "\($0.count) \($0.kind)" } == ["1 rejected", "1 sent"])
            #expect(try await ledger.rows(of: "nothing", most: 10).isEmpty)
        }
    }

    @Test func findsRejectedJobByAnyRecipient() async throws {
        try await TestDatabase.withMigrated { database in
            let ledger = LedgerRepository(database.pool)
            try await ledger.keep(days: 1)
            var rejection = LedgerRow(at: Self.at, kind: "job.rejected", job: "order-3")
            rejection.reason = "payload"
            try await ledger.add([rejection])
            #expect(try await ledger.rows(of: "order-3", ref: "user-1", most: 10) == [rejection])
            #expect(try await ledger.rows(of: "order-3", recipients: [[1, 2]], most: 10) == [rejection])
            var later = row("order-3", "sent", token: "a")
            later.at = Timestamp(milliseconds: Self.at.milliseconds + 1_000)
            try await ledger.add([later])
            #expect(try await ledger.rows(of: "order-3", most: 1) == [later])
            #expect(try await ledger.rows(of: "order-3", kind: "job.rejected", most: 1) == [rejection])
        }
    }

    @Test func dropsPartitionsOfExpiredDays() async throws {
        try await TestDatabase.withMigrated { database in
            let ledger = LedgerRepository(database.pool)
            try await database.pool.query(
                """
                CREATE TABLE martlet.ledger_20010203 PARTITION OF martlet.ledger
                    FOR VALUES FROM ('2001-02-03T00:00:00Z') TO ('2001-02-04T00:00:00Z')
                """)
            try await database.pool.query(
                """
                CREATE TABLE martlet.archive PARTITION OF martlet.ledger
                    FOR VALUES FROM ('2001-02-04T00:00:00Z') TO ('2001-02-05T00:00:00Z')
                """)
            try await database.pool.query(
                """
                INSERT INTO martlet.ledger (noted_at, at, attempts, redelivered, kind, job)
                VALUES ('2001-02-03T04:05:06Z', '2001-02-03T04:05:06Z', 1, false, 'sent', 'order-0')
                """)
            #expect(try await ledger.begin()?.first?.rfc3339 == "2001-02-03T04:05:06.000Z")
            try await database.pool.transaction { reader in
                try await reader.query("SELECT * FROM martlet.ledger_20010203")
                #expect(try await ledger.keep(days: 14) == 0, "a partition in use must be kept")
            }
            try await ledger.add([row("order-1", "sent", token: "a")])
            #expect(try await ledger.keep(days: 14) == 1)
            #expect(try await ledger.keep(days: 14) == 0)
            try await ledger.add([row("order-1", "sent", token: "a")])
            await #expect(throws: PostgresError.self) { try await ledger.keep(days: 0) }
        }
    }

    /// The role that writes the ledger can't read it, and operators can't write it.
    @Test func separatesReadAndWritePermissions() async throws {
        try await TestDatabase.withMigrated { database in
            try await database.withLogin(in: "martlet_ledger") { login, _ in
                let ledger = LedgerRepository(login)
                try await ledger.keep(days: 14)
                try await ledger.probe()
                try await ledger.add([row("order-1", "sent", token: "a")])
                for sql in [
                    "SELECT * FROM martlet.ledger", "DELETE FROM martlet.ledger", "SELECT * FROM martlet.apps",
                    "SELECT * FROM martlet.device_tokens", "TRUNCATE martlet.ledger",
                ] {
                    let error = await #expect(throws: PostgresError.self) { try await login.query(sql) }
                    #expect(error?.sqlState == "42501", "\(sql)")
                }
            }
            try await database.withLogin(in: "martlet_operator") { login, _ in
                let ledger = LedgerRepository(login)
                let read = try await ledger.rows(of: "order-1", most: 10)
                #expect(read.count == 1, "the probe must not write a row")
                await #expect(throws: PostgresError.self) { try await ledger.add(read) }
                await #expect(throws: PostgresError.self) { try await ledger.probe() }
            }
        }
    }
}
