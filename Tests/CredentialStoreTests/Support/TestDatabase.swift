import CredentialStore
import Foundation
import Logging
import PostgresClient
import Testing

/// A database of its own for one test, on the server of MARTLET_TEST_DATABASE_URL.
struct TestDatabase {
    static let serverURL = ProcessInfo.processInfo.environment["MARTLET_TEST_DATABASE_URL"]
    static let missing: Comment = "MARTLET_TEST_DATABASE_URL is not set"

    let name: String
    let configuration: PostgresConfiguration
    let pool: PostgresPool
    let logger: Logger

    /// The same under another application's name.
    func configuration(named application: String) throws -> PostgresConfiguration {
        try PostgresConfiguration(url: url(), applicationName: application)
    }

    func url() throws -> String {
        var components = try #require(Self.serverURL.flatMap { URLComponents(string: $0) })
        components.path = "/" + name
        return try #require(components.string)
    }

    /// Makes an empty database, lends it, and drops it.
    static func withEmpty(_ body: (TestDatabase) async throws -> Void) async throws {
        let server = try #require(serverURL)
        let name = "martlet_test_\(UInt64.random(in: 0 ... .max))"
        let admin = try await PostgresConnection.connect(PostgresConfiguration(url: server))
        try await admin.execute(script: "CREATE DATABASE \(name)")
        var components = try #require(URLComponents(string: server))
        components.path = "/" + name
        let configuration = try PostgresConfiguration(url: try #require(components.string))
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let database = TestDatabase(
            name: name, configuration: configuration, pool: PostgresPool(configuration, logger: logger), logger: logger)
        do {
            try await body(database)
        } catch {
            Issue.record(error)
        }
        database.pool.close()
        try await admin.execute(script: "DROP DATABASE \(name) WITH (FORCE)")
        await admin.close()
    }

    /// Makes a database with all migrations applied.
    static func withMigrated(_ body: (TestDatabase) async throws -> Void) async throws {
        try await withEmpty { database in
            try await Migrations(database.configuration, logger: database.logger).apply()
            try await body(database)
        }
    }

    /// Makes a database as it was before a migration.
    static func withMigrated(before number: Int, _ body: (TestDatabase) async throws -> Void) async throws {
        try await withEmpty { database in
            let known = Migration.all.filter { $0.number < number }
            try await Migrations(database.configuration, known: known, logger: database.logger).apply()
            try await body(database)
        }
    }

    func migrate() async throws { try await Migrations(configuration, logger: logger).apply() }

    /// Lets a store follow the database until the task is cancelled.
    func follow(_ store: SnapshotStore) -> Task<Void, Never> {
        let changes = ChangeListener(configuration, logger: logger)
        return Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await changes.run() }
                group.addTask { await store.run(on: changes) }
            }
        }
    }

    /// Runs `body` on the server's own database, from where this one can be shut.
    func asAdministrator(_ body: (PostgresConnection) async throws -> Void) async throws {
        let admin = try await PostgresConnection.connect(PostgresConfiguration(url: try #require(Self.serverURL)))
        try await body(admin)
        await admin.close()
    }
}

/// Waits for something that another task will bring about.
func eventually(
    _ what: Comment, within limit: Duration = .seconds(40), sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        try #require(ContinuousClock.now < deadline, what, sourceLocation: sourceLocation)
        try await Task.sleep(for: .milliseconds(10))
    }
}
