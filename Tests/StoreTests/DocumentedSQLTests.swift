import Foundation
import PostgresClient
import PushModel
import Store
import TestTraits
import Testing
import WorkerTestSupport

/// The SQL that docs/tokens.md recommends, run exactly as documented.
@Suite(.needsDatabase, .endsAHang)
struct DocumentedSQLTests {
    /// Returns the SQL blocks of the page. The first three are for a publisher's own device table: the statement for
    /// result events, the join and the trigger. The last one is the partitioning.
    private func documentedSQL() throws -> [String] {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/tokens.md")
            .standardized
        let text = try String(contentsOf: page, encoding: .utf8)
        let blocks = text.matches(of: /```sql\n((?:.|\n)*?)```/).map { String($0.1) }
        try #require(blocks.count == 4)
        return blocks
    }

    private func withDevices(
        _ body: (TestDatabase, DeviceTokenRegistry, [String]) async throws -> Void
    ) async throws {
        try await TestDatabase.withMigrated { database in
            try await database.pool.query(
                "CREATE TABLE devices (token text PRIMARY KEY, registered_at timestamptz NOT NULL, name text)")
            try await body(database, DeviceTokenRegistry(database.pool), try documentedSQL())
        }
    }

    private func add(_ token: String, registeredAt seconds: Int64, _ database: TestDatabase) async throws {
        try await database.pool.query(
            """
            INSERT INTO devices (token, registered_at) VALUES ($1, $2)
            ON CONFLICT (token) DO UPDATE SET registered_at = excluded.registered_at
            """, [.text(token), .timestamp(milliseconds: seconds * 1000)])
    }

    private func devices(_ database: TestDatabase) async throws -> [String] {
        try await database.pool.query("SELECT token FROM devices ORDER BY token").map { try $0["token"].text }
    }

    private func mark(_ token: String, at seconds: Int64) -> TokenMark {
        TokenMark(
            key: DeviceTokenKey(
                output: "apns", app: "com.example.shop", environment: .production, form: .hex(maximumDigits: 512),
                token: token),
            unregisteredAt: Timestamp(seconds: seconds), reason: "Unregistered")
    }

    @Test func deletesDeviceOnResultEvent() async throws {
        try await withDevices { database, _, sql in
            for token in ["aa", "bb"] { try await add(token, registeredAt: 100, database) }
            for (token, seconds) in [("aa", 101), ("bb", 100)] as [(String, Int64)] {
                try await database.pool.query(sql[0], [.text(token), .timestamp(milliseconds: seconds * 1000)])
            }
            #expect(try await devices(database) == ["bb"])
        }
    }

    @Test func deletesDeadDevicesByJoin() async throws {
        try await withDevices { database, registry, sql in
            for token in ["aa", "bb", "cc"] { try await add(token, registeredAt: 100, database) }
            try await registry.mark([mark("aa", at: 101), mark("bb", at: 99)])
            try await database.pool.query(sql[1])
            #expect(try await devices(database) == ["bb", "cc"])
        }
    }

    @Test func registersTokensByTrigger() async throws {
        try await withDevices { database, registry, sql in
            try await database.pool.withConnection { try await $0.execute(script: sql[2]) }
            try await add("aa", registeredAt: 100, database)
            #expect(try await registry.mark([mark("aa", at: 100)]) == 0, "a late 410 must not count")
            #expect(try await registry.mark([mark("aa", at: 101)]) == 1)
            try await database.pool.query("UPDATE devices SET name = 'no news'")
            #expect(
                try await registry.show(token: "aa", output: "apns", form: .hex(maximumDigits: 512)).map(
                    \.unregisteredAt) == [Timestamp(seconds: 101)])
            try await add("aa", registeredAt: 102, database)
            let state = try await registry.show(token: "aa", output: "apns", form: .hex(maximumDigits: 512))
            #expect(state.map(\.unregisteredAt) == [nil] && state.map(\.registeredAt) == [Timestamp(seconds: 102)])
        }
    }

    /// Martlet works the same whether or not the table has partitions.
    @Test func marksAndRegistersTokensInPartitionedTable() async throws {
        try await withDevices { database, registry, sql in
            let before = (0..<200).map { mark("a\(1000 + $0)", at: 100) }
            try await registry.mark(before)
            try await registry.register([TokenRegistration(key: before[0].key, registeredAt: Timestamp(seconds: 100))])
            let long = mark(String(repeating: "c", count: 400), at: 100)
            try await registry.mark([long])
            try await database.pool.withConnection { try await $0.execute(script: sql[3]) }
            let whole = try await database.pool.query(
                "SELECT FROM martlet.dead_tokens WHERE token = $1", [.text(long.key.token)])
            #expect(whole.count == 1)
            #expect(try await registry.forget(long.key))
            let parts = try await database.pool.query(
                "SELECT count(DISTINCT tableoid) AS parts FROM martlet.device_tokens")
            #expect(try parts[0]["parts"].integer == 16)

            #expect(try await registry.mark([mark("a1000", at: 101), mark("a1001", at: 99), mark("bb", at: 1)]) == 2)
            #expect(
                try await registry.show(token: "a1000", output: "apns", form: .hex(maximumDigits: 512)).map(
                    \.unregisteredAt) == [Timestamp(seconds: 101)])
            try await database.pool.query("SELECT martlet.register_token('com.example.shop', 'BB', to_timestamp(1))")
            #expect(try await registry.deaths(among: [mark("bb", at: 1).key, before[1].key]).keys.sorted() == [1])
            try await database.nextTick(of: "milliseconds")
            var exported = 0
            let next = try await registry.deadTokens(since: Timestamp(seconds: 0)) { exported += $0.count }
            #expect(exported == 200)
            try await registry.mark([mark("cc", at: 1)])
            try await database.nextTick(of: "milliseconds")
            var more: [String] = []
            try await registry.deadTokens(since: next) { more += $0.map(\.key.token) }
            #expect(more == ["cc"])
            #expect(try await registry.forgetSome(app: "com.example.shop", output: "apns", atMost: 50) == 50)
            #expect(try await registry.forget(mark("cc", at: 1).key))
        }
    }
}
