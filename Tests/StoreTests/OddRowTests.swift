import PostgresClient
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport
import Routing
import RoutingTestSupport

/// Rows that an operator may write with SQL or that a newer version writes, and rows that a worker can't see.
@Suite(.needsDatabase, .endsAHang)
struct OddRowTests {
    private struct Oddity {
        let table: String
        let change: String

        init(_ table: String, _ change: String) { (self.table, self.change) = (table, change) }

        var column: String { String(change.prefix { $0 != " " }) }
    }

    private static let oddities =
        [
            "not_before = '-infinity'", "not_after = 'infinity'", "created_at = 'infinity'", "kind = 'moon'",
            "state = 'moon'", "environments = '{moon}'", "environments = '{production,NULL}'",
            "environments = '{{production},{sandbox}}'", "topics = '{NULL}'", "certificate_chain = '{NULL}'",
        ].map { Oddity("credentials", $0) }
        + ["allowed_publishers = '{NULL}'", "allowed_publishers = '{{a},{b}}'", "default_environment = 'moon'"].map {
            Oddity("apps", $0)
        }
    private static let mending = [
        """
        UPDATE martlet.credentials SET not_before = NULL, not_after = NULL, created_at = now(), kind = 'token',
            state = 'active', environments = '{production,sandbox}', topics = '{}', certificate_chain = '{}'
        """,
        "UPDATE martlet.apps SET allowed_publishers = '{}', default_environment = 'production'",
    ].map { PostgresStatement($0) }

    private func load(
        _ database: TestDatabase, from pool: PostgresPool? = nil, log: LogRecorder? = nil
    ) async throws -> SnapshotStore {
        try await SnapshotStore.load(
            from: pool ?? database.pool, keyring: .sample(), pollInterval: .milliseconds(20),
            logger: log?.logger("store") ?? database.logger)
    }

    /// Creates two apps with one credential each and returns the ids of the credentials.
    private func fill(_ database: TestDatabase) async throws -> [Credential.ID] {
        var ids: [Credential.ID] = []
        for team in ["TEAM000001", "TEAM000002"] {
            let app = App(bundleID: team.lowercased(), accounts: ["apns": AppAccount(team)])
            try await AppRepository(database.pool).set(app)
            let key = NewCredential.sampleKey(team, team: team)
            ids.append(
                try await CredentialRepository(database.pool).importCredential(key, keyring: .sample()))
        }
        return ids
    }

    private func route(_ app: String, in store: SnapshotStore) -> Result<String, RoutingFailure> {
        store.current.route(app: app, environment: nil, topic: app).map(\.credential.id)
    }

    /// A running worker keeps using the last readable version of the row. A newly started worker has no such version,
    /// and the app's jobs wait.
    @Test func unreadableRowStopsOnlyAppOfRow() async throws {
        try await TestDatabase.withMigrated { database in
            let ids = try await fill(database)
            try await database.pool.query("ALTER TYPE martlet.environment ADD VALUE 'moon'")
            try await database.pool.query(
                """
                DO $$ DECLARE name text; BEGIN
                    FOR name IN SELECT conname FROM pg_constraint
                        WHERE conrelid = 'martlet.credentials'::regclass AND contype = 'c'
                    LOOP EXECUTE format('ALTER TABLE martlet.credentials DROP CONSTRAINT %I', name); END LOOP;
                END $$
                """)
            let log = LogRecorder()
            let store = try await load(database, log: log)
            let running = database.follow(store)
            defer { running.cancel() }
            for (number, odd) in Self.oddities.enumerated() {
                let (key, row) = odd.table == "apps" ? ("bundle_id", "team000002") : ("id", ids[1])
                try await database.pool.query(
                    "UPDATE martlet.\(odd.table) SET \(odd.change) WHERE \(key)::text = $1", [.text(row)])
                let new = App(bundleID: "new\(number)", accounts: ["apns": AppAccount("TEAM000001")])
                try await AppRepository(database.pool).set(new)
                try await eventually("\(odd): the new app is loaded") { store.current.app(new.bundleID) == new }
                let start = "martlet.\(odd.table) row \(row) cannot be read: column \(odd.column) "
                #expect(store.current.unreadableRows.map { $0.hasPrefix(start) } == [true], "\(odd)")
                try await eventually("\(odd): the row is logged") { log.text.contains(start) }
                #expect(route("team000002", in: store) == .success(ids[1]), "\(odd): the loaded row stays in use")
                let late = try await load(database)
                for store in [store, late] { #expect(route("team000001", in: store) == .success(ids[0]), "\(odd)") }
                guard case .failure(.credentialUnusable(let explanation)) = route("team000002", in: late) else {
                    Issue.record("\(odd): the job must wait for its credential")
                    continue
                }
                #expect(explanation.hasPrefix(start), "\(odd)")
                #expect((late.current.obstacle(to: "team000002") == nil) == (odd.table == "credentials"))
                let apps = try await AppRepository(database.pool).list().filter { $0.unreadable != nil }
                let credentials = try await CredentialRepository(database.pool).list().filter { $0.unreadable != nil }
                #expect(apps.count == (odd.table == "apps" ? 1 : 0), "\(odd)")
                let isListed = odd.table == "credentials" && odd.column != "certificate_chain"
                #expect(credentials.count == (isListed ? 1 : 0), "\(odd)")
                try await database.pool.batch(Self.mending)
                try await eventually("\(odd): the repaired row is loaded") { store.current.unreadableRows == [] }
            }
        }
    }

    /// Row-level security hides rows. Without an error, it would look as if all apps had been removed.
    @Test(arguments: ["apps", "credentials"])
    func reportsHiddenRowsAsError(table: String) async throws {
        try await TestDatabase.withMigrated { database in
            let ids = try await fill(database)
            try await database.withLogin(in: "martlet_worker") { login, _ in
                let log = LogRecorder()
                let store = try await load(database, from: login, log: log)
                let running = database.follow(store)
                try await database.pool.query("ALTER TABLE martlet.\(table) ENABLE ROW LEVEL SECURITY")
                try await eventually("the error is logged: \(log.text)") {
                    log.text.contains("row-level security policy for table \"\(table)\"")
                }
                #expect(route("team000001", in: store) == .success(ids[0]))
                let error = await #expect(throws: PostgresError.self) { try await load(database, from: login) }
                #expect(error?.sqlState == "42501")
                #expect(try await load(database).current.credentialIDs == Set(ids), "the owner must see all rows")
                running.cancel()
                await running.value
            }
        }
    }
}
