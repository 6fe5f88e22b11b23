import Foundation
import PostgresClient
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport
import Routing
import RoutingTestSupport

@Suite(.needsDatabase, .endsAHang)
struct SnapshotStoreTests {
    /// A poll interval so long that only a notification can trigger a reload.
    private static let never: Duration = .seconds(3600)
    private let shop = App(bundleID: "com.example.shop", accounts: ["apns": AppAccount("TEAM000001")])

    private func withRunningStore(
        _ database: TestDatabase, pollInterval: Duration, _ body: (SnapshotStore) async throws -> Void
    ) async throws {
        let store = try await SnapshotStore.load(
            from: database.pool, keyring: MasterKeyring.sample(), pollInterval: pollInterval, logger: database.logger)
        let running = database.follow(store)
        try await eventually("the store listens") { try await listeners(database) == 1 }
        try await body(store)
        running.cancel()
        await running.value
    }

    private func listeners(_ database: TestDatabase) async throws -> Int {
        try await database.pool.query(
            """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND query LIKE 'LISTEN%' AND state = 'idle'
            """)[0]["count"].integer
    }

    private func cutListener(_ database: TestDatabase) async throws {
        try await database.pool.query(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND query LIKE 'LISTEN%'
            """)
    }

    @Test func followsNotifications() async throws {
        try await TestDatabase.withMigrated { database in
            try await withRunningStore(database, pollInterval: Self.never) { store in
                var changes = store.changes().makeAsyncIterator()
                try await AppRepository(database.pool).set(shop)
                let withApp = try #require(await changes.next())
                #expect(withApp.app("com.example.shop") == shop)
                let id = try await CredentialRepository(database.pool)
                    .importCredential(.sampleKey("f1", secret: "the key"), keyring: MasterKeyring.sample())
                let snapshot = try #require(await changes.next())
                #expect(snapshot === store.current)
                let route = try snapshot.route(app: "com.example.shop", environment: nil, topic: "com.example.shop")
                    .get()
                #expect(route.credential.id == id)
                #expect(
                    route.credential.kind == .token(keyID: "KEY0000001", privateKeyPEM: Secret(Array("the key".utf8))))
                try await CredentialRepository(database.pool).retire(id)
                #expect(try #require(await changes.next()).credentialIDs == [])
            }
        }
    }

    @Test func catchesUpAfterListenerIsDisconnected() async throws {
        try await TestDatabase.withMigrated { database in
            try await withRunningStore(database, pollInterval: Self.never) { store in
                try await cutListener(database)
                try await AppRepository(database.pool).set(shop)
                try await eventually("the app is loaded") { store.current.app("com.example.shop") != nil }
                try await eventually("the store listens again") { try await listeners(database) == 1 }
                try await AppRepository(database.pool).remove("com.example.shop")
                try await eventually("the app is removed") { store.current.app("com.example.shop") == nil }
            }
        }
    }

    @Test func pollsIfNotificationsAreLost() async throws {
        try await TestDatabase.withMigrated { database in
            try await database.pool.query("ALTER TABLE martlet.apps DISABLE TRIGGER announce")
            try await withRunningStore(database, pollInterval: .milliseconds(50)) { store in
                try await AppRepository(database.pool).set(shop)
                try await eventually("the app is loaded") { store.current.app("com.example.shop") != nil }
                try await database.pool.query("UPDATE martlet.apps SET paused = true")
                try await eventually("the pause is loaded") { store.current.app("com.example.shop")?.isPaused == true }
                try await database.pool.query("DELETE FROM martlet.apps")
                try await eventually("the app is removed") { store.current.app("com.example.shop") == nil }
            }
        }
    }

    @Test func keepsSnapshotWhileDatabaseIsUnavailable() async throws {
        try await TestDatabase.withMigrated { database in
            try await AppRepository(database.pool).set(shop)
            try await withRunningStore(database, pollInterval: .milliseconds(20)) { store in
                try await database.asAdministrator { admin in
                    try await admin.query("ALTER DATABASE \(database.name) ALLOW_CONNECTIONS false")
                    try await admin.query(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1",
                        [.text(database.name)])
                }
                try await eventually("the database is down") { (try? await database.pool.query("SELECT 1")) == nil }
                #expect(store.current.app("com.example.shop") == shop)
                try await database.asAdministrator { admin in
                    try await admin.query("ALTER DATABASE \(database.name) ALLOW_CONNECTIONS true")
                }
                try await eventually("the database is available") {
                    (try? await AppRepository(database.pool).remove("com.example.shop")) != nil
                }
                try await eventually("the app is removed") { store.current.app("com.example.shop") == nil }
            }
        }
    }

    /// Reading a row takes one second, which at first is more than the time limit.
    @Test func loadsSlowSnapshotWithMoreTime() async throws {
        try await TestDatabase.withMigrated { database in
            try await AppRepository(database.pool).set(shop)
            try await database.withLogin(in: "martlet_worker") { login, _ in
                let store = try await SnapshotStore.load(
                    from: login, keyring: .sample(), pollInterval: .milliseconds(20),
                    patience: ReadTimeout(shortest: .milliseconds(200), first: ReadTimeout.longest),
                    logger: database.logger)
                try await database.pool.batch([
                    PostgresStatement("UPDATE martlet.apps SET paused = true"),
                    PostgresStatement("ALTER TABLE martlet.apps RENAME TO slow_apps"),
                    PostgresStatement(
                        "CREATE VIEW martlet.apps AS SELECT ctid, xmin, * FROM martlet.slow_apps WHERE pg_sleep(1) IS NOT NULL"
                    ),
                    PostgresStatement("GRANT SELECT ON martlet.apps TO martlet_worker"),
                ])
                let running = database.follow(store)
                try await eventually("the pause is loaded") { store.current.app(shop.id)?.isPaused == true }
                running.cancel()
                await running.value
            }
        }
    }

    @Test func unopenableCredentialStopsOnlyDependentApps() async throws {
        try await TestDatabase.withMigrated { database in
            let credentials = CredentialRepository(database.pool)
            for team in ["TEAM000001", "TEAM000002", "TEAM000003"] {
                try await AppRepository(database.pool).set(
                    App(bundleID: team.lowercased(), accounts: ["apns": AppAccount(team)]))
            }
            let good = try await credentials.importCredential(.sampleKey("f1", team: "TEAM000001"), keyring: .sample())
            let swapped = try await credentials.importCredential(
                .sampleKey("f2", team: "TEAM000002"), keyring: .sample())
            let old = try await credentials.importCredential(
                .sampleKey("f3", team: "TEAM000003"), keyring: .sample("old"))
            try await database.pool.query(
                "UPDATE martlet.credentials SET sealed_secret = (SELECT sealed_secret FROM martlet.credentials WHERE id = $1) WHERE id = $2",
                [.text(good), .text(swapped)])
            let store = try await SnapshotStore.load(from: database.pool, keyring: .sample(), logger: database.logger)
            func route(_ app: String) -> Result<String, RoutingFailure> {
                store.current.route(app: app, environment: nil, topic: app).map(\.credential.id)
            }
            #expect(route("team000001") == .success(good))
            #expect(
                route("team000002")
                    == .failure(
                        .credentialUnusable(
                            explanation:
                                "martlet.credentials row \(swapped) cannot be opened with master key 2026-11, so the key or the row was changed"
                        )))
            #expect(
                route("team000003")
                    == .failure(
                        .credentialUnusable(
                            explanation:
                                "martlet.credentials row \(old) is sealed under master key old, which is not in the keyring"
                        )))
            #expect(store.current.credentialIDs == [good])
        }
    }

    // MARK: master keys

    private static let oldLine = "2026-11 \(String(repeating: "A", count: 43))=\n"
    private static let newLine = "2027-01 \(String(repeating: "B", count: 42))A=\n"

    /// Replaces the file atomically and with private permissions. Otherwise the store might also report that the file
    /// is incomplete or that others can read it.
    private func write(_ lines: String, to path: String) {
        _ = FileManager.default.createFile(
            atPath: path + ".new", contents: Data(lines.utf8), attributes: [.posixPermissions: 0o600])
        rename(path + ".new", path)
    }

    private func withKeyringFile(_ lines: String, _ body: (String) async throws -> Void) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "keyring-\(UUID().uuidString)").path
        write(lines, to: path)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body(path)
    }

    /// Rekeying before this worker has the new master key causes no outage. The worker reads the key once it is in the
    /// file.
    @Test func keepsOpenedSecretsUntilNewMasterKeyArrives() async throws {
        try await TestDatabase.withMigrated { database in
            try await withKeyringFile(Self.oldLine) { path in
                let new = try MasterKeyring(text: Self.newLine + Self.oldLine, source: "the operator's")
                let credentials = CredentialRepository(database.pool)
                try await AppRepository(database.pool).set(shop)
                let known = try await credentials.importCredential(.sampleKey("f1"), keyring: .sample())
                let changed = try await credentials.importCredential(
                    .sampleKey("f2", team: "TEAM000002"), keyring: .sample())
                let log = LogRecorder()
                let store = try await SnapshotStore.load(
                    from: database.pool, keyring: MasterKeyring(file: path), pollInterval: .milliseconds(20),
                    logger: log.logger("store"))
                let running = database.follow(store)
                defer { running.cancel() }
                let credential = try store.current.route(app: shop.id, environment: nil, topic: shop.id).get()
                    .credential

                let report = try await Rekeying(database.pool, keyring: new).run()
                #expect(report.resealed == 2)
                let unknown = try await credentials.importCredential(
                    .sampleKey("f3", team: "TEAM000003"), keyring: new)
                try await eventually("the import is loaded") {
                    store.current.credentialSummaries.contains { $0.id == unknown }
                }
                #expect(store.current.credentialIDs == [known, changed], "f3 was never opened and must be unusable")
                let kept = try store.current.route(app: shop.id, environment: nil, topic: shop.id).get().credential
                #expect(kept == credential)
                let explanation =
                    "martlet.credentials row \(known) is sealed under master key 2027-01, which is not in the keyring"
                #expect(store.current.keptBecause.contains(explanation))
                try await eventually("the reason is logged: \(log.text)") {
                    log.text.contains("stays in use") && log.text.contains(explanation)
                }

                // If the row holds a different key, the opened one must not stay in use.
                try await database.pool.query(
                    "UPDATE martlet.credentials SET fingerprint = 'f9' WHERE id = $1", [.text(changed)])
                try await eventually("the row is rejected") { store.current.credentialIDs == [known] }
                try await database.pool.query(
                    "UPDATE martlet.credentials SET fingerprint = 'f2' WHERE id = $1", [.text(changed)])

                let late = try await SnapshotStore.load(
                    from: database.pool, keyring: MasterKeyring(file: path), logger: database.logger)
                #expect(late.current.credentialIDs == [], "a worker that starts now can open no credential")
                #expect(late.current.openingProblems.contains(explanation))

                write(Self.oldLine + Self.newLine, to: path)
                try await eventually("the new key is read") {
                    store.current.credentialIDs == [known, changed, unknown]
                }
                try await eventually("\(log.text)") { log.text.contains("Master keys reloaded") }
                write(Self.newLine, to: path)
                try await eventually("the old key is removed") {
                    log.text.contains("current: 2027-01") || log.text.contains("\"current\": 2027-01")
                }
                #expect(store.current.credentialIDs == [known, changed, unknown])
            }
        }
    }

    /// An invalid keyring file is logged once, and the keys in memory stay in use.
    @Test func logsInvalidKeyringFileOnce() async throws {
        try await TestDatabase.withMigrated { database in
            try await withKeyringFile(Self.oldLine) { path in
                let id = try await CredentialRepository(database.pool).importCredential(
                    .sampleKey("f1"), keyring: .sample())
                let log = LogRecorder()
                let store = try await SnapshotStore.load(
                    from: database.pool, keyring: MasterKeyring(file: path), pollInterval: .milliseconds(10),
                    logger: log.logger("store"))
                let running = database.follow(store)
                defer { running.cancel() }
                write("nonsense\n", to: path)
                try await eventually("the failure is logged") { log.text.contains("The keyring cannot be read") }
                try await AppRepository(database.pool).set(shop)
                try await eventually("changes are still loaded") { store.current.app(shop.id) != nil }
                #expect(store.current.credentialIDs == [id])
                #expect(log.text.split(separator: "The keyring cannot be read").count == 2, "\(log.text)")
            }
        }
    }

    /// The account, the key id and the sealed secret are changed, each in another row.
    @Test func rejectsEachTamperedRow() async throws {
        try await TestDatabase.withMigrated { database in
            let credentials = CredentialRepository(database.pool)
            var ids: [Credential.ID] = []
            for number in 1...4 {
                let team = "TEAM00000\(number)"
                try await AppRepository(database.pool).set(
                    App(bundleID: "app\(number)", accounts: ["apns": AppAccount(team)]))
                ids.append(
                    try await credentials.importCredential(
                        .sampleKey("f\(number)", team: team), keyring: .sample()))
            }
            func set(_ change: String, _ id: Credential.ID) async throws {
                try await database.pool.query("UPDATE martlet.credentials SET \(change) WHERE id = $1", [.text(id)])
            }
            try await set("account = 'TEAM000099'", ids[0])
            try await set("key_id = 'KEY0000009'", ids[1])
            try await set("sealed_secret = set_bit(sealed_secret, 200, 1 - get_bit(sealed_secret, 200))", ids[2])
            let store = try await SnapshotStore.load(from: database.pool, keyring: .sample(), logger: database.logger)
            #expect(store.current.credentialIDs == [ids[3]])
            #expect(store.current.openingProblems.count == 3)
            for id in ids.prefix(3) {
                #expect(store.current.openingProblems.contains { $0.contains("row \(id) cannot be opened") })
            }
        }
    }

    @Test func failsWithoutMigrations() async throws {
        try await TestDatabase.withEmpty { database in
            let error = await #expect(throws: PostgresError.self) {
                _ = try await SnapshotStore.load(from: database.pool, keyring: .sample(), logger: database.logger)
            }
            #expect(error?.sqlState == "42P01")
        }
    }
}
