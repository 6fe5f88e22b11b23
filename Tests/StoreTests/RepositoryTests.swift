import PostgresClient
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport
import Routing

@Suite(.needsDatabase, .endsAHang)
struct RepositoryTests {
    @Test func setsListsShowsAndRemovesApps() async throws {
        try await TestDatabase.withMigrated { database in
            let apps = AppRepository(database.pool)
            var shop = App(
                bundleID: "com.example.shop", accounts: ["apns": AppAccount("TEAM000001")],
                defaultEnvironment: .sandbox,
                allowedPublishers: ["shop", "crm"], isPaused: true, pace: AppRateLimit(rate: 500, includesUrgent: true))
            try await apps.set(shop)
            #expect(try await apps.show("com.example.shop") == shop)
            #expect(try await apps.paced(most: 1) == [shop])
            #expect(try await apps.paced(most: 0).isEmpty)
            shop.isPaused = false
            shop.allowedPublishers = []
            shop.pace = nil
            try await apps.set(shop)
            try await apps.set(App(bundleID: "com.example.another", accounts: ["apns": AppAccount("TEAM000002")]))
            #expect(try await apps.paced(most: 10).isEmpty)
            #expect(
                try await apps.list() == [
                    App(bundleID: "com.example.another", accounts: ["apns": AppAccount("TEAM000002")]), shop,
                ])
            try await apps.remove("com.example.shop")
            for unknown in ["com.example.shop", "com.example.never"] {
                let shown = await #expect(throws: StoreError.self) { try await apps.show(unknown) }
                #expect(shown == StoreError(.notFound, "there is no app \(unknown)"))
                let removed = await #expect(throws: StoreError.self) { try await apps.remove(unknown) }
                #expect(removed == StoreError(.notFound, "there is no app \(unknown)"))
            }
        }
    }

    /// Each operator changes one column and must not undo another operator's change.
    @Test func keepsConcurrentChangesOfOtherColumns() async throws {
        try await TestDatabase.withMigrated { database in
            let (apps, id) = (AppRepository(database.pool), "com.example.shop")
            let unknown = await #expect(throws: StoreError.self) {
                try await apps.change(id, [.paused(true)])
            }
            #expect(unknown?.code == .notFound)
            #expect(
                try await apps.change(id, [.account("TEAM000001", of: "apns")])
                    == App(bundleID: id, accounts: ["apns": AppAccount("TEAM000001")]))

            // The first operator's transaction begins before the second change, and the second change must wait for its
            // commit.
            let first = try await PostgresConnection.connect(database.configuration)
            try await first.query("BEGIN")
            try await first.query("UPDATE martlet.apps SET allowed_publishers = '{shop}'")
            let second = Task { try await apps.change(id, [.paused(true)]) }
            try await eventually("the second change waits") {
                try await database.pool.query(
                    "SELECT FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND datname = current_database()"
                ).count > 0
            }
            try await first.query("COMMIT")
            await first.close()
            #expect(
                try await second.value
                    == App(
                        bundleID: id, accounts: ["apns": AppAccount("TEAM000001")], allowedPublishers: ["shop"],
                        isPaused: true))
            _ = try await apps.change(id, [.account("TEAM000001", of: "apns"), .defaultEnvironment(.sandbox)])
            #expect(
                try await apps.change(id, [])
                    == App(
                        bundleID: id, accounts: ["apns": AppAccount("TEAM000001")], defaultEnvironment: .sandbox,
                        allowedPublishers: ["shop"],
                        isPaused: true))
        }
    }

    @Test(arguments: ["", "com.example shop", "com.exämple"])
    func rejectsInvalidBundleID(bundleID: String) async throws {
        try await TestDatabase.withMigrated { database in
            let error = await #expect(throws: StoreError.self) {
                try await AppRepository(database.pool).set(
                    App(bundleID: bundleID, accounts: ["apns": AppAccount("TEAM000001")]))
            }
            #expect(error?.code == .invalidField)
        }
    }

    @Test(arguments: ["6f9619ff-8b86-d011-b42d-00cf4fc964ff", "not a uuid"])
    func requiresExistingCredentialForApp(id: String) async throws {
        try await TestDatabase.withMigrated { database in
            let error = await #expect(throws: StoreError.self) {
                try await AppRepository(database.pool).set(
                    App(bundleID: "a", accounts: ["apns": AppAccount("TEAM000001", credential: id)]))
            }
            #expect(error == StoreError(.notFound, "there is no credential \(id)"))
        }
    }

    @Test func importsAndListsSealedCredentials() async throws {
        try await TestDatabase.withMigrated { database in
            let credentials = CredentialRepository(database.pool)
            let keyring = try MasterKeyring.sample()
            let key = try await credentials.importCredential(.sampleKey("f1", secret: "SECRET-TEXT"), keyring: keyring)
            let certificate = try await credentials.importCredential(
                .sampleCertificate("f2", topic: "com.example.shop"), keyring: keyring)
            let list = try await credentials.list()
            #expect(list.map(\.id) == [certificate, key])
            #expect(list[0].topics == ["com.example.shop"])
            #expect(list[0].notAfter == Timestamp(seconds: 4_000_000_000))
            #expect(list[0].keyID == nil)
            #expect(list[1].keyID == "KEY0000001")
            #expect(list.allSatisfy { $0.masterKeyID == "2026-11" && $0.state == .active })
            let stored = try await database.pool.query("SELECT credentials::text AS row FROM martlet.credentials")
            let hex = Array("SECRET-TEXT".utf8).map { String($0, radix: 16) }.joined()
            for row in stored {
                let text = try row["row"].text
                #expect(!text.contains("SECRET-TEXT") && !text.contains(hex))
            }
        }
    }

    @Test func importsCredentialOnceUntilRetired() async throws {
        try await TestDatabase.withMigrated { database in
            let credentials = CredentialRepository(database.pool)
            let keyring = try MasterKeyring.sample()
            let first = try await credentials.importCredential(.sampleKey("f1"), keyring: keyring)
            let again = await #expect(throws: StoreError.self) {
                try await credentials.importCredential(.sampleKey("f1"), keyring: keyring)
            }
            #expect(again?.code == .conflict)
            try await credentials.retire(first)
            _ = try await credentials.importCredential(.sampleKey("f1"), keyring: keyring)
            #expect(try await credentials.list().map(\.state) == [.active, .retired])
            let twice = await #expect(throws: StoreError.self) { try await credentials.retire(first) }
            #expect(twice?.code == .notFound)
        }
    }

    @Test func keepsCredentialThatAppNames() async throws {
        try await TestDatabase.withMigrated { database in
            let credentials = CredentialRepository(database.pool)
            let id = try await credentials.importCredential(.sampleKey("f1"), keyring: MasterKeyring.sample())
            try await AppRepository(database.pool).set(
                App(bundleID: "com.example.shop", accounts: ["apns": AppAccount("TEAM000001", credential: id)]))
            let error = await #expect(throws: StoreError.self) { try await credentials.retire(id) }
            #expect(error?.code == .conflict)
            #expect(error?.message.contains("com.example.shop") == true)
        }
    }
}
