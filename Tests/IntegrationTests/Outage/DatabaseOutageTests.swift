import APNSSimulator
import Foundation
import PostgresClient
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport
import Routing

extension OutageTests {
    enum DatabaseOutage: String, CaseIterable, Sendable {
        case apps = "the tables of apps and credentials are locked"
        case deviceTokens = "the table of device tokens is locked"
        case readOnly = "the database accepts no writes"
    }

    @Test func reportsLockedTablesOfAppsAndCredentials() async throws {
        try await Outage.happens(DatabaseOutage.apps.rawValue) { there, look in
            try await there.installation.withLock(on: "apps, martlet.credentials") {
                try await look()
                let top = try await there.installation.martlet(["top", "--once"])
                #expect(top.status == 0 && top.output.contains("1 worker, "), "\(top)")
                #expect(top.output.contains("rate limits are not known: "), "\(top.output)")
            }
        }
    }

    @Test func reportsLockedTableOfDeviceTokens() async throws {
        try await Outage.happens(DatabaseOutage.deviceTokens.rawValue) { there, look in
            try await there.installation.withLock(on: "device_tokens") {
                try await there.publish("during", to: [Token.random(Token.dead)])
                try await look()
                let statement = try #require(Documents.blocks("sql", in: try Documents.text("docs/runbook.md")).first)
                let holders = try await there.installation.database.pool.query(
                    statement.replacing(/;\s*$/, with: ""))
                #expect(try holders.contains { try $0["mode"].text == "AccessExclusiveLock" })
            }
        }
    }

    @Test func reportsReadOnlyDatabase() async throws {
        try await Outage.happens(DatabaseOutage.readOnly.rawValue) { there, look in
            let database = there.installation.database
            func set(_ value: String) async throws {
                try await database.asAdministrator { admin in
                    try await admin.query(
                        "ALTER DATABASE \(database.name) SET default_transaction_read_only = \(value)")
                    try await admin.query(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1",
                        [.text(database.name)])
                }
            }
            try await set("on")
            try await look()
            let top = try await there.installation.martlet(["top", "--once"])
            #expect(top.output.contains("trouble: PostgreSQL accepts no writes"), "\(top.output)")
            try await set("off")
        }
    }

    @Test func reportsUnreadableKeyring() async throws {
        try await Outage.happens(OwnOutage.keyring.rawValue) { there, look in
            let (file, elsewhere) = (there.installation.path("keyring"), there.installation.path("elsewhere"))
            try FileManager.default.moveItem(atPath: file, toPath: elsewhere)
            try await look()
            try FileManager.default.moveItem(atPath: elsewhere, toPath: file)
        }
    }

    @Test func reportsKeyringThatOpensNoCredential() async throws {
        let other = "master-2 \(String(repeating: "Q", count: 43))=\n"
        try await Outage.happens(OwnOutage.wrongKeyring.rawValue, keyring: other) { there, look in
            try await there.publish("during")
            try await look()
            try there.installation.write(Installation.keyringText, to: Outage.workerKeyring)
        }
    }

    @Test func reportsPausedApp() async throws {
        try await Outage.happens(OwnOutage.paused.rawValue) { there, look in
            func set(isPaused: Bool) async throws {
                try await there.installation.setApp(
                    App(bundleID: Outage.app, accounts: ["apns": AppAccount("TEAM000001")], isPaused: isPaused))
            }
            try await set(isPaused: true)
            try await there.publish("during")
            try await look()
            try await set(isPaused: false)
        }
    }
}

extension Installation {
    /// Locks a table against all other sessions while `body` runs.
    fileprivate func withLock(on table: String, _ body: () async throws -> Void) async throws {
        let holder = try await PostgresConnection.connect(database.configuration)
        try await holder.query("BEGIN")
        try await holder.query("LOCK TABLE martlet.\(table) IN ACCESS EXCLUSIVE MODE")
        do { try await body() } catch { Issue.record(error) }
        try await holder.query("ROLLBACK")
        await holder.close()
    }
}
