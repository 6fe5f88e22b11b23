import PostgresClient
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import Foundations
import WorkerTestSupport

@Suite(.needsDatabase, .endsAHang)
struct DeadTokenFeedTests {
    /// A subscriber that keeps the filter of a feed, as a pipeline does.
    private final class Follower: Sendable {
        let state = Mutex((filter: DeadTokenFilter?.none, loads: 0))

        func take(_ event: DeadTokenFeed.Event) {
            state.withLock { state in
                switch event {
                case .loaded(let filter): state = (filter, state.loads + 1)
                case .marked(let hashes): for hash in hashes { state.filter?.insert(hash) }
                }
            }
        }

        func mayContain(_ key: DeviceTokenKey) -> Bool {
            let seed = TokenHash.seed(output: key.output, app: key.app, environment: key.environment)
            let hash = Array(key.token.utf8).withUnsafeBytes { TokenHash.hash($0, seed: seed) }
            return state.withLock { $0.filter?.mayContain(hash) ?? false }
        }
    }

    private func key(_ token: String, app: String = "com.example.shop", _ environment: PushEnvironment = .production)
        -> DeviceTokenKey
    {
        DeviceTokenKey(output: "apns", app: app, environment: environment, form: .hex(maximumDigits: 512), token: token)
    }

    private func marks(_ keys: [DeviceTokenKey]) -> [TokenMark] {
        keys.map { TokenMark(key: $0, unregisteredAt: Timestamp(milliseconds: 1_000), reason: "Unregistered") }
    }

    private func following(
        _ database: TestDatabase, log: LogRecorder = LogRecorder(),
        _ body: (Follower, DeviceTokenRegistry) async throws -> Void
    ) async throws {
        var configuration = DeadTokenFeed.Configuration()
        configuration.pollInterval = .milliseconds(50)
        let feed = DeadTokenFeed(database.pool, configuration: configuration, logger: log.logger("feed"))
        let follower = Follower()
        let task = Task { await feed.run { follower.take($0) } }
        try await body(follower, DeviceTokenRegistry(database.pool))
        task.cancel()
        await task.value
    }

    @Test func reportsExistingAndNewMarks() async throws {
        try await TestDatabase.withMigrated { database in
            let before = (0..<500).map {
                key("aa\($0)", app: "com.example.app\($0 % 7)", $0 % 2 == 0 ? .sandbox : .production)
            }
            try await DeviceTokenRegistry(database.pool).mark(marks(before))
            try await following(database) { follower, registry in
                try await eventually("the filter is loaded") { follower.state.withLock { $0.filter != nil } }
                #expect(before.allSatisfy { follower.mayContain($0) })
                #expect(!follower.mayContain(key("bb")))
                #expect(!follower.mayContain(key("aa0")), "aa0 is marked for another app only")
                try await registry.mark(marks([key("bb"), key("CC")]))
                try await eventually("the new marks arrive") {
                    follower.mayContain(key("bb")) && follower.mayContain(key("cc"))
                }
                #expect(follower.state.withLock { $0.loads } == 1)
            }
        }
    }

    @Test func reportsMarkCommittedLate() async throws {
        try await TestDatabase.withMigrated { database in
            try await following(database) { follower, registry in
                try await eventually("the filter is loaded") { follower.state.withLock { $0.filter != nil } }
                try await database.pool.transaction { connection in
                    try await connection.query(
                        """
                        INSERT INTO martlet.device_tokens (output, app, environment, token, unregistered_at, marked_at)
                        VALUES ('apns', 'com.example.shop', 'production', 'aa', now(), clock_timestamp())
                        """)
                    try await database.nextTick(of: "second")
                    try await registry.mark(marks([key("bb")]))
                    try await eventually("the later mark arrives at once") { follower.mayContain(key("bb")) }
                    #expect(!follower.mayContain(key("aa")))
                }
                try await eventually("the mark committed late arrives") { follower.mayContain(key("aa")) }
            }
        }
    }

    @Test func waitsForUnavailableDatabase() async throws {
        let log = LogRecorder()
        try await TestDatabase.withMigrated { database in
            try await following(database, log: log) { follower, _ in
                try await eventually("the filter is loaded") { follower.state.withLock { $0.filter != nil } }
                try await database.withoutConnections {
                    try await eventually(log.text) { log.text.contains("Dead tokens cannot be read; retrying") }
                }
                let registry = DeviceTokenRegistry(
                    PostgresPool(database.configuration, logger: database.logger))
                try await eventually("a token is marked") { (try? await registry.mark(marks([key("aa")]))) != nil }
                try await eventually("the mark arrives") { follower.mayContain(key("aa")) }
            }
        }
    }

    /// A scan that exceeds its time limit is cancelled in the database, and the next one gets more time.
    @Test func cancelsSlowScanAndRetriesWithMoreTime() async throws {
        try await TestDatabase.withMigrated { database in
            try await DeviceTokenRegistry(database.pool).mark(marks([key("aa"), key("bb")]))
            try await database.pool.batch([
                PostgresStatement("ALTER TABLE martlet.device_tokens RENAME TO slow_tokens"),
                PostgresStatement(
                    "CREATE VIEW martlet.device_tokens AS SELECT * FROM martlet.slow_tokens WHERE pg_sleep(0.5) IS NOT NULL"
                ),
                PostgresStatement("GRANT SELECT ON martlet.device_tokens TO martlet_worker"),
            ])
            try await database.withLogin(in: "martlet_worker") { login, role in
                var configuration = DeadTokenFeed.Configuration()
                configuration.pollInterval = .milliseconds(20)
                configuration.patience = ReadTimeout(shortest: .milliseconds(100))
                let feed = DeadTokenFeed(login, configuration: configuration, logger: database.logger)
                let follower = Follower()
                let task = Task { await feed.run { follower.take($0) } }
                var most = 0
                try await eventually("all marks are read") {
                    let running = try await database.pool.query(
                        "SELECT FROM pg_stat_activity WHERE usename = $1 AND state = 'active'", [.text(role)])
                    most = max(most, running.count)
                    return follower.mayContain(key("aa"))
                }
                #expect(most == 1)
                task.cancel()
                await task.value
            }
        }
    }
}
