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

    /// Makes an empty database, lends it, and drops it.
    static func withEmpty(_ body: (TestDatabase) async throws -> Void) async throws {
        let server = try #require(serverURL)
        let name = "martlet_test_\(UInt64.random(in: 0 ... .max))"
        let admin = try await PostgresConnection.connect(PostgresConfiguration(url: server))
        try await admin.query("CREATE DATABASE \(name)")
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
        try await admin.query("DROP DATABASE \(name) WITH (FORCE)")
        await admin.close()
    }

    /// Makes a database with all migrations applied.
    static func withMigrated(_ body: (TestDatabase) async throws -> Void) async throws {
        try await withEmpty { database in
            try await Migrations(database.configuration, logger: database.logger).apply()
            try await body(database)
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
