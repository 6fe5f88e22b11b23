import CredentialStore
import Foundation
import Logging
package import PostgresClient

/// A database of its own for one test.
package struct TestDatabase: Sendable {
    package let url: String
    package let configuration: PostgresConfiguration
    package let pool: PostgresPool
    private let name: String
    private let server: String

    /// Makes a database with all migrations applied.
    package static func create(on server: String) async throws -> TestDatabase {
        let name = "martlet_test_\(UInt64.random(in: 0 ... .max))"
        try await asAdministrator(of: server) { try await $0.execute(script: "CREATE DATABASE \(name)") }
        guard var components = URLComponents(string: server) else { throw URLError(.badURL) }
        components.path = "/" + name
        guard let url = components.string else { throw URLError(.badURL) }
        let configuration = try PostgresConfiguration(url: url)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        try await Migrations(configuration, logger: logger).apply()
        var options = PostgresPool.Options()
        // A machine that runs all tests at once may be slow.
        options.leaseTimeout = .seconds(60)
        return TestDatabase(
            url: url, configuration: configuration,
            pool: PostgresPool(configuration, options: options, logger: logger), name: name, server: server)
    }

    package func drop() async throws {
        pool.close()
        try await Self.asAdministrator(of: server) {
            try await $0.execute(script: "DROP DATABASE \(name) WITH (FORCE)")
        }
    }

    /// Runs `body` while nobody can reach the database.
    package func withoutConnections(_ body: () async throws -> Void) async throws {
        let admin = try await PostgresConnection.connect(PostgresConfiguration(url: server))
        try await admin.query("ALTER DATABASE \(name) ALLOW_CONNECTIONS false")
        try await admin.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", [.text(name)])
        do {
            try await body()
        } catch {
            try await admin.query("ALTER DATABASE \(name) ALLOW_CONNECTIONS true")
            throw error
        }
        try await admin.query("ALTER DATABASE \(name) ALLOW_CONNECTIONS true")
        await admin.close()
    }

    private static func asAdministrator(
        of server: String, _ body: (PostgresConnection) async throws -> Void
    ) async throws {
        let connection = try await PostgresConnection.connect(PostgresConfiguration(url: server))
        try await body(connection)
        await connection.close()
    }
}
