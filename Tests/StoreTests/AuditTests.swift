import Foundation
import PostgresClient
import PushModel
import Store
import TestTraits
import Testing
import WorkerTestSupport
import Routing

@Suite(.needsDatabase, .endsAHang)
struct AuditTests {
    private func entries(_ database: TestDatabase, _ filter: AuditRepository.Filter = .init()) async throws
        -> [AuditEntry]
    {
        try await AuditRepository(database.pool).list(filter, limit: 1000)
    }

    @Test func recordsEachChangeWithRole() async throws {
        try await TestDatabase.withMigrated { database in
            let start = Timestamp.now
            try await database.withLogin(in: "martlet_operator") { login, role in
                let apps = AppRepository(login)
                let id = try await CredentialRepository(login).importCredential(
                    .sampleCertificate("f1", topic: "com.example.shop"), keyring: .sample())
                var app = App(bundleID: "com.example.shop", accounts: ["apns": AppAccount("TEAM000001")])
                try await apps.set(app)
                try await apps.set(app)
                app.isPaused = true
                app.allowedPublishers = ["shop"]
                app.pace = AppRateLimit(rate: 2_000, includesUrgent: true)
                try await apps.set(app)
                try await CredentialRepository(login).retire(id)
                try await apps.remove("com.example.shop")

                let entries = try await entries(database)
                #expect(
                    entries.map { "\($0.operation) \($0.table) \($0.object ?? "")" } == [
                        "delete app_accounts com.example.shop", "delete apps com.example.shop",
                        "update credentials \(id)", "update apps com.example.shop",
                        "insert app_accounts com.example.shop", "insert apps com.example.shop",
                        "insert credentials \(id)",
                    ], "an update without changes adds no audit entry")
                for entry in entries {
                    #expect(entry.role == role && entry.setRole == nil)
                    #expect(entry.application == "a test" && entry.address == "127.0.0.1")
                    #expect((start.milliseconds...Timestamp.now.milliseconds).contains(entry.at.milliseconds))
                }
                #expect(
                    entries[3].changes == [
                        .init(column: "allowed_publishers", old: "[]", new: #"["shop"]"#),
                        .init(column: "paused", old: "false", new: "true"),
                        .init(column: "rate", old: nil, new: "2000"),
                        .init(column: "rate_includes_urgent", old: "false", new: "true"),
                    ])
                #expect(entries[2].changes == [.init(column: "state", old: "active", new: "retired")])
                #expect(entries[0].changes.contains(.init(column: "account", old: "TEAM000001", new: nil)))
                #expect(entries[6].changes.contains(.init(column: "label", old: nil, new: "certificate f1")))
            }
        }
    }

    @Test func omitsSecretsAndCertificates() async throws {
        try await TestDatabase.withMigrated { database in
            let both = try MasterKeyring(
                text: "new \(String(repeating: "B", count: 42))A=\n2026-11 \(String(repeating: "A", count: 43))=",
                source: "sample")
            let id = try await CredentialRepository(database.pool).importCredential(
                .sampleCertificate("f1", topic: "com.example.shop"), keyring: .sample())
            _ = try await Rekeying(database.pool, keyring: both).run()
            try await database.pool.query("DELETE FROM martlet.credentials")
            let entries = try await entries(database)
            #expect(entries.map(\.operation) == ["delete", "update", "insert"])
            #expect(entries.allSatisfy { $0.object == id })
            #expect(
                entries[1].changes == [
                    .init(column: "master_key_id", old: "2026-11", new: "new"),
                    .init(column: "sealed_secret", old: nil, new: nil),
                ])
            let seen = try await database.pool.query(
                """
                SELECT count(*) FROM martlet.audit
                WHERE old_row ?| ARRAY['sealed_secret', 'certificate_chain']
                    OR new_row ?| ARRAY['sealed_secret', 'certificate_chain']
                """)
            #expect(try seen[0]["count"].integer == 0)
        }
    }

    @Test func recordsSetRoleAndTruncate() async throws {
        try await TestDatabase.withMigrated { database in
            try await AppRepository(database.pool).set(
                App(bundleID: "com.example.shop", accounts: ["apns": AppAccount("TEAM000001")]))
            try await database.withLogin(in: "martlet_operator") { login, role in
                try await login.transaction { connection in
                    try await connection.query("SET LOCAL ROLE martlet_operator")
                    try await connection.query("UPDATE martlet.apps SET paused = true")
                }
                let entry = try #require(await entries(database).first)
                #expect(entry.role == role && entry.setRole == "martlet_operator")
            }
            try await database.pool.query("TRUNCATE martlet.apps CASCADE")
            let entry = try #require(await entries(database).first { $0.table == "apps" })
            #expect(
                entry.operation == "truncate" && entry.table == "apps" && entry.object == nil && entry.changes == [])
        }
    }

    @Test func filtersByTimeAppAndCredential() async throws {
        try await TestDatabase.withMigrated { database in
            let id = try await CredentialRepository(database.pool).importCredential(
                .sampleKey("f1"), keyring: .sample())
            for app in ["com.example.shop", "com.example.news"] {
                try await AppRepository(database.pool).set(
                    App(bundleID: app, accounts: ["apns": AppAccount("TEAM000001")]))
            }
            func objects(_ filter: AuditRepository.Filter) async throws -> [String?] {
                // An app's account has its own audit entries, which are left out here.
                try await entries(database, filter).filter { $0.table != "app_accounts" }.map(\.object)
            }
            #expect(try await objects(.init()) == ["com.example.news", "com.example.shop", id])
            #expect(try await objects(.init(app: "com.example.shop")) == ["com.example.shop"])
            #expect(try await objects(.init(credential: id)) == [id])
            #expect(try await objects(.init(app: "com.example.shop", credential: id)) == ["com.example.shop", id])
            #expect(try await objects(.init(app: id)) == [], "a credential id must not match as an app")
            try await database.pool.query(
                "UPDATE martlet.audit SET at = at - interval '1 hour' WHERE object = 'credentials'")
            let recent = Timestamp(milliseconds: Timestamp.now.milliseconds - 1_800_000)
            #expect(try await objects(.init(since: recent)) == ["com.example.news", "com.example.shop"])
            #expect(
                try await AuditRepository(database.pool).list(limit: 1).map(\.object) == ["com.example.news"])
        }
    }
}
