import Foundation
import PostgresClient
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport
import Routing

/// The permissions of the groups `martlet_worker` and `martlet_operator`.
@Suite(.needsDatabase, .endsAHang)
struct DatabaseRoleTests {
    private static let forbiddenToBoth = [
        "DELETE FROM martlet.credentials", "TRUNCATE martlet.apps CASCADE", "TRUNCATE martlet.credentials CASCADE",
        "INSERT INTO martlet.audit (session_role, application, operation, object, changed) VALUES ('x', 'x', 'insert', 'apps', '{}')",
        "UPDATE martlet.audit SET session_role = 'somebody else'", "DELETE FROM martlet.audit",
        "TRUNCATE martlet.audit", "ALTER TABLE martlet.apps DISABLE TRIGGER audit",
        "DROP TRIGGER audit ON martlet.credentials", "ALTER TABLE martlet.apps DISABLE TRIGGER ALL",
        "SET session_replication_role = replica", "SELECT * FROM martlet.grants",
        "INSERT INTO martlet.grants VALUES ('martlet_worker', 'martlet.apps', 'ALL')", "SELECT martlet.apply_grants()",
        "INSERT INTO martlet.schema_migrations (number, name, checksum) VALUES (99, 'x', '')",
        "DELETE FROM martlet.schema_migrations", "CREATE TABLE martlet.x (n int)",
        "CREATE OR REPLACE FUNCTION martlet.write_audit() RETURNS trigger LANGUAGE sql AS 'SELECT NULL'",
        "ALTER FUNCTION martlet.lock_key(uuid) SECURITY INVOKER", "DROP TABLE martlet.audit",
        "INSERT INTO martlet.cancelled_jobs (job, cancelled_by) VALUES ('order-1', 'somebody else')",
        "INSERT INTO martlet.cancelled_jobs (job, expires_at) VALUES ('order-1', 'infinity')",
        "UPDATE martlet.cancelled_jobs SET cancelled_by = 'somebody else'", "TRUNCATE martlet.cancelled_jobs",
        "UPDATE martlet.cancellation_state SET version = 0", "DELETE FROM martlet.cancellation_changes",
        "TRUNCATE martlet.workers",
    ]
    private static let forbiddenToWorkers = [
        "SELECT * FROM martlet.audit", "UPDATE martlet.credentials SET label = 'x'",
        "UPDATE martlet.credentials SET sealed_secret = ''", "SELECT id FROM martlet.credentials FOR UPDATE",
        "UPDATE martlet.apps SET paused = false", "DELETE FROM martlet.apps",
        "INSERT INTO martlet.apps (bundle_id) VALUES ('x')", "DELETE FROM martlet.provider_tokens",
        "DELETE FROM martlet.device_tokens", "TRUNCATE martlet.device_tokens",
        "INSERT INTO martlet.cancelled_jobs (job) VALUES ('order-1')", "DELETE FROM martlet.cancelled_jobs",
        "SELECT martlet.cancel_job('order-1')",
    ]
    private static let forbiddenToOperators = [
        "INSERT INTO martlet.refusals SELECT id, 'production', '', 'x', now(), now(), 'x' FROM martlet.credentials",
        "DELETE FROM martlet.refusals", "SELECT martlet.forget_cancellations()",
        "INSERT INTO martlet.workers SELECT gen_random_uuid(), 'x', 'x', now(), now()",
        "UPDATE martlet.workers SET seen_at = now()",
    ]

    private func sqlState(_ pool: PostgresPool, _ sql: String) async -> String? {
        do {
            try await pool.query(sql)
            return nil
        } catch {
            return (error as? PostgresError)?.sqlState ?? "\(error)"
        }
    }

    @Test(arguments: [
        ("martlet_worker", forbiddenToBoth + forbiddenToWorkers),
        ("martlet_operator", forbiddenToBoth + forbiddenToOperators),
    ])
    func deniesForbiddenStatements(group: String, statements: [String]) async throws {
        try await TestDatabase.withMigrated { database in
            _ = try await CredentialRepository(database.pool).importCredential(.sampleKey("f1"), keyring: .sample())
            try await database.withLogin(in: group) { login, _ in
                for sql in statements { #expect(await sqlState(login, sql) == "42501", "\(sql)") }
            }
        }
    }

    @Test func deniesAccessOutsideBothGroups() async throws {
        try await TestDatabase.withMigrated { database in
            try await database.withLogin(in: "") { login, _ in
                for sql in ["SELECT * FROM martlet.apps", "SELECT martlet.lock_key(gen_random_uuid())"] {
                    #expect(await sqlState(login, sql) == "42501", "\(sql)")
                }
            }
        }
    }

    /// Runs the parts of a worker that use the database.
    @Test func permitsAllWorkerOperations() async throws {
        try await TestDatabase.withMigrated { database in
            let id = try await CredentialRepository(database.pool).importCredential(
                .sampleKey("f1"), keyring: .sample())
            try await database.withLogin(in: "martlet_worker") { login, _ in
                try await Migrations(login.configuration, logger: database.logger).verify()
                let store = try await SnapshotStore.load(from: login, keyring: .sample(), logger: database.logger)
                #expect(store.current.credentialIDs == [id])
                let tokens = SharedTokenRepository(login, keyring: try .sample())
                for age: Int64 in [60_000, -1, 60_000] {
                    #expect(try await tokens.token(of: id, youngerThan: age) { _ in Secret([1]) }.token == Secret([1]))
                }
                let key = DeviceTokenKey(
                    output: "apns", app: "com.example.shop", environment: .production, form: .hex(maximumDigits: 512),
                    token: "aa")
                let registry = DeviceTokenRegistry(login)
                for time: Int64 in [1_000, 2_000] {
                    let mark = TokenMark(
                        key: key, unregisteredAt: Timestamp(seconds: time), reason: "Unregistered", registeredAt: nil)
                    #expect(try await registry.mark([mark]) == 1)
                }
                let refusal = Refusal(
                    credential: id, environment: .production, topic: nil, reason: "InvalidProviderToken", since: .now)
                for ended in [[], [refusal]] {
                    try await RefusalRepository(login).write([refusal], ended: ended, worker: "push-1")
                }
                #expect(try await RefusalRepository(login).list().count == 1)
                let changes = ChangeListener(login.configuration, logger: database.logger)
                let feed = try await CancellationFeed.load(from: login, changes: changes, logger: database.logger)
                #expect(feed.initial.count == 0)
                try await CancellationRepository(login).forgetExpired()
                let worker = RunningWorker(
                    id: UUID().uuidString, name: "push-1", version: "0", outputs: ["apns"], start: .now)
                for _ in 0..<2 { #expect(try await WorkerRepository(login).renew(worker, quotas: ["q"]) == ["q": 1]) }
                try await WorkerRepository(login).remove(worker)
                try await WorkerRepository(login).forgetStale()
            }
        }
    }

    @Test func permitsAllOperatorOperations() async throws {
        try await TestDatabase.withMigrated { database in
            try await database.withLogin(in: "martlet_operator") { login, _ in
                let credentials = CredentialRepository(login)
                let id = try await credentials.importCredential(.sampleKey("f1"), keyring: .sample())
                let apps = AppRepository(login)
                try await apps.set(
                    App(bundleID: "com.example.shop", accounts: ["apns": AppAccount("TEAM000001", credential: id)]))
                try await apps.set(App(bundleID: "com.example.shop", accounts: ["apns": AppAccount("TEAM000001")]))
                #expect(try await apps.list().count == 1)
                _ = try await SharedTokenRepository(login, keyring: .sample())
                    .token(of: id, youngerThan: 60_000) { _ in Secret([1]) }
                let both = try MasterKeyring(
                    text: "new \(String(repeating: "B", count: 42))A=\n2026-11 \(String(repeating: "A", count: 43))=",
                    source: "sample")
                let report = try await Rekeying(login, keyring: both).run()
                #expect(report.resealed == 2 && report.problems == [])
                try await credentials.retire(id)
                try await apps.remove("com.example.shop")
                #expect(try await AuditRepository(login).list(limit: 100).count == 9)
                let key = DeviceTokenKey(
                    output: "apns", app: "com.example.shop", environment: .production, form: .hex(maximumDigits: 512),
                    token: "aa")
                let registry = DeviceTokenRegistry(login)
                #expect(
                    try await registry.register([TokenRegistration(key: key, registeredAt: Timestamp(seconds: 1))]) == 1
                )
                #expect(try await registry.forget(key))
                #expect(try await RefusalRepository(login).list() == [])
                #expect(try await WorkerRepository(login).fleet().isEmpty)
                #expect(try await CancellationRepository(login).cancel("order-1"))
                #expect(try await CancellationRepository(login).restore("order-1"))
            }
        }
    }

    /// On a managed PostgreSQL, the owner of the schema may lack the right to create roles.
    @Test func logsMissingRolesIfOwnerCannotCreateRoles() async throws {
        try await TestDatabase.withEmpty { database in
            try await database.withLogin(in: "") { login, role in
                try await database.pool.query("GRANT CREATE ON DATABASE \(database.name) TO \(role)")
                let log = LogRecorder()
                let migrations = Migrations(login.configuration, logger: log.logger("test"))
                #expect(try await migrations.apply() == Migration.all)
                #expect(!log.text.contains("missing"), "this server has both groups: \(log.text)")
                let missing = "martlet_test_group_\(UInt32.random(in: 0 ... .max))"
                try await login.query(
                    "INSERT INTO martlet.grants VALUES ($1, 'martlet.apps', 'SELECT'), ($1, 'SCHEMA martlet', 'USAGE')",
                    [.text(missing)])
                #expect(try await migrations.apply() == [])
                #expect(log.text.contains("CREATE ROLE \(missing) NOLOGIN"), "\(log.text)")

                try await database.pool.query("CREATE ROLE \(missing) NOLOGIN")
                try await migrations.apply()
                let granted = try await login.query(
                    "SELECT has_table_privilege($1, 'martlet.apps', 'SELECT') AS may", [.text(missing)])
                #expect(try granted[0]["may"].bool)
                try await database.pool.query("DROP OWNED BY \(missing)")
                try await database.pool.query("DROP ROLE \(missing)")
            }
        }
    }

    /// Several databases of one server are migrated at the same time, before the role exists.
    @Test func createsRoleOnceForConcurrentMigrations() async throws {
        let group = "martlet_test_group_\(UInt32.random(in: 0 ... .max))"
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<6 {
                tasks.addTask {
                    try await TestDatabase.withMigrated { database in
                        try await database.pool.query(
                            "INSERT INTO martlet.grants VALUES ($1, 'martlet.apps', 'SELECT')", [.text(group)])
                        let missing = try await database.pool.query("SELECT martlet.apply_grants() AS missing")
                        #expect(try missing[0]["missing"].textArray == [])
                        let granted = try await database.pool.query(
                            "SELECT has_table_privilege($1, 'martlet.apps', 'SELECT') AS may", [.text(group)])
                        #expect(try granted[0]["may"].bool)
                    }
                }
            }
            try await tasks.waitForAll()
        }
        let url = try #require(TestServers.database)
        let server = try await PostgresConnection.connect(PostgresConfiguration(url: url))
        try await server.query("DROP ROLE \(group)")
        await server.close()
    }
}
