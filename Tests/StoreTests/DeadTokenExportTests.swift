import PostgresClient
import PushModel
import Store
import TestTraits
import Testing
import Foundations
import WorkerTestSupport

@Suite(.needsDatabase, .endsAHang)
struct DeadTokenExportTests {
    private func mark(_ token: String, app: String = "com.example.shop", at time: Int64 = 1_000) -> TokenMark {
        TokenMark(
            key: DeviceTokenKey(
                output: "apns", app: app, environment: .production, form: .hex(maximumDigits: 512), token: token),
            unregisteredAt: Timestamp(milliseconds: time), reason: "Unregistered")
    }

    private func export(
        _ registry: DeviceTokenRegistry, since: Timestamp = Timestamp(milliseconds: 0), app: String? = nil,
        environment: PushEnvironment? = nil
    ) async throws -> (tokens: [String], next: Timestamp) {
        var tokens: [String] = []
        let next = try await registry.deadTokens(since: since, app: app, environment: environment, pageSize: 7) {
            tokens += $0.map(\.key.token)
        }
        return (tokens, next)
    }

    /// Marks that are not committed while an export runs appear in a later export.
    @Test func exportsMarksCommittedLate() async throws {
        try await TestDatabase.withMigrated { database in
            let registry = DeviceTokenRegistry(database.pool)
            let late = try await PostgresConnection.connect(database.configuration)
            try await late.query("BEGIN")
            try await late.query(
                """
                INSERT INTO martlet.device_tokens (output, app, environment, token, unregistered_at, marked_at)
                VALUES ('apns', 'com.example.shop', 'production', 'aa', now(), clock_timestamp())
                """)
            // The name of the lock contains the time in seconds. Marks that are written in the same second may be held
            // back until the transaction ends.
            try await database.nextTick(of: "second")
            try await registry.mark([mark("bb")])
            let first = try await export(registry)
            try await late.query("COMMIT")
            await late.close()
            let second = try await export(registry, since: first.next)
            let third = try await export(registry, since: second.next)
            #expect(first.tokens == [], "bb must wait for the open transaction of aa, which was marked earlier")
            #expect(second.tokens == ["aa", "bb"])
            #expect(third.tokens == [])
        }
    }

    /// Six writers mark tokens, three of them in slow transactions, while exports run in a loop. Every mark must be
    /// exported exactly once.
    @Test func exportsEachMarkOnceUnderConcurrency() async throws {
        try await TestDatabase.withMigrated { database in
            var options = PostgresPool.Options()
            options.maximumConnections = 10
            options.leaseTimeout = .seconds(30)
            let pool = PostgresPool(database.configuration, options: options, logger: database.logger)
            defer { pool.close() }
            let registry = DeviceTokenRegistry(pool)
            let isDone = Mutex(false)
            let exports = Task {
                var (all, since) = ([String](), Timestamp(milliseconds: 0))
                var isLast = false
                while !isLast {
                    isLast = isDone.withLock { $0 }
                    let (tokens, next) = try await export(registry, since: since)
                    all += tokens
                    since = next
                    if isLast { try await database.nextTick(of: "milliseconds") }
                }
                return all + (try await export(registry, since: since)).tokens
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<6 {
                    group.addTask {
                        for round in 0..<40 {
                            let name = "a\(writer)\(String(100 + round))"
                            if writer < 3 {
                                try await registry.mark((0..<5).map { mark("\(name)\($0)") })
                            } else {
                                // The value of marked_at is set at once, and the commit follows up to 60 ms later.
                                try await pool.transaction { connection in
                                    for place in 0..<5 {
                                        try await connection.query(
                                            """
                                            INSERT INTO martlet.device_tokens
                                                (output, app, environment, token, unregistered_at, marked_at)
                                            VALUES ('apns', 'com.example.shop', 'production', $1, now(),
                                                clock_timestamp())
                                            """, [.text("\(name)\(place)")])
                                    }
                                    try await Task.sleep(for: .milliseconds(Int.random(in: 0...60)))
                                }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            isDone.withLock { $0 = true }
            let exported = try await exports.value
            #expect(exported.count == 6 * 40 * 5, "missing marks: \(6 * 40 * 5 - Set(exported).count)")
            #expect(Set(exported).count == exported.count)
        }
    }

    @Test func filtersExportByAppAndEnvironment() async throws {
        try await TestDatabase.withMigrated { database in
            let registry = DeviceTokenRegistry(database.pool)
            try await registry.mark([mark("aa"), mark("bb", app: "com.example.news")])
            try await registry.mark([
                TokenMark(
                    key: DeviceTokenKey(
                        output: "apns", app: "com.example.shop", environment: .sandbox, form: .hex(maximumDigits: 512),
                        token: "cc"),
                    unregisteredAt: Timestamp(milliseconds: 1), reason: "Unregistered")
            ])
            try await database.nextTick(of: "milliseconds")
            #expect(try await export(registry).tokens.sorted() == ["aa", "bb", "cc"])
            #expect(try await export(registry, app: "com.example.shop").tokens.sorted() == ["aa", "cc"])
            #expect(try await export(registry, environment: .production).tokens.sorted() == ["aa", "bb"])
            #expect(try await export(registry, app: "com.example.shop", environment: .sandbox).tokens == ["cc"])
        }
    }

    @Test func viewShowsOnlyDeadTokens() async throws {
        try await TestDatabase.withMigrated { database in
            let registry = DeviceTokenRegistry(database.pool)
            try await registry.mark([mark("aa"), mark("bb")])
            try await registry.register([
                TokenRegistration(key: mark("bb").key, registeredAt: Timestamp(milliseconds: 1_000))
            ])
            let rows = try await database.pool.query("SELECT token, unregistered_at, reason FROM martlet.dead_tokens")
            #expect(try rows.map { try $0["token"].text } == ["aa"])
        }
    }

    @Test func deletesTokensOfAppInBatches() async throws {
        try await TestDatabase.withMigrated { database in
            let registry = DeviceTokenRegistry(database.pool)
            try await registry.mark((0..<25).map { mark("a\($0 + 10)") } + [mark("aa", app: "com.example.news")])
            var counts: [Int] = []
            while counts.last != 0 {
                counts.append(try await registry.forgetSome(app: "com.example.shop", output: "apns", atMost: 10))
            }
            #expect(counts == [10, 10, 5, 0])
            #expect(
                try await registry.show(token: "aa", output: "apns", form: .hex(maximumDigits: 512)).map(\.key.app) == [
                    "com.example.news"
                ], "tokens of the other app, which has no row, must remain")
        }
    }

    @Test func returnsDeathTimesByPosition() async throws {
        try await TestDatabase.withMigrated { database in
            let registry = DeviceTokenRegistry(database.pool)
            try await registry.mark([mark("aa", at: 1), mark("cc", at: 3)])
            try await registry.register([
                TokenRegistration(key: mark("bb").key, registeredAt: Timestamp(milliseconds: 1_000))
            ])
            let sandbox = DeviceTokenKey(
                output: "apns", app: "com.example.shop", environment: .sandbox, form: .hex(maximumDigits: 512),
                token: "aa")
            let other = DeviceTokenKey(
                output: "fcm", app: "com.example.shop", environment: .production, form: .hex(maximumDigits: 512),
                token: "aa")
            let keys =
                ["cc", "bb", "dd", "aa", "cc"].map { mark($0).key }
                + [mark("aa", app: "com.example.news").key, sandbox, other]
            let deaths = try await registry.deaths(among: keys)
            #expect(deaths.mapValues(\.milliseconds) == [0: 3, 3: 1, 4: 3])
            #expect(try await registry.deaths(among: []).isEmpty)
        }
    }
}
