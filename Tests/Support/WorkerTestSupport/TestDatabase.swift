import Foundation
package import Logging
package import PostgresClient
package import Store
import TestSupport

/// A database for a single test.
package struct TestDatabase: Sendable {
    package let name: String
    package let url: String
    package let configuration: PostgresConfiguration
    package let pool: PostgresPool
    package let logger: Logger
    private let server: String

    /// Creates an empty database on a server.
    package static func createEmpty(on server: String) async throws -> TestDatabase {
        let name = "martlet_test_\(UInt64.random(in: 0 ... .max))"
        try await asAdministrator(of: server) { try await $0.execute(script: "CREATE DATABASE \(name)") }
        guard var components = URLComponents(string: server) else { throw URLError(.badURL) }
        components.path = "/" + name
        guard let url = components.string else { throw URLError(.badURL) }
        let configuration = try PostgresConfiguration(url: url)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        var options = PostgresPool.Options()
        // A machine that runs all tests at once may be slow.
        options.leaseTimeout = .seconds(60)
        return TestDatabase(
            name: name, url: url, configuration: configuration,
            pool: PostgresPool(configuration, options: options, logger: logger), logger: logger, server: server)
    }

    /// Creates a database with all migrations applied.
    package static func create(on server: String) async throws -> TestDatabase {
        let database = try await createEmpty(on: server)
        try await database.migrate()
        return database
    }

    package func drop() async throws {
        pool.close()
        try await asAdministrator { try await $0.execute(script: "DROP DATABASE \(name) WITH (FORCE)") }
    }

    // MARK: Databases for the time of a closure

    /// Creates an empty database on the tests' server, passes it to `body`, and drops it.
    package static func withEmpty(_ body: (TestDatabase) async throws -> Void) async throws {
        guard let server = TestServers.database else { throw Failure(description: "no test database is configured") }
        let database = try await createEmpty(on: server)
        do {
            try await body(database)
        } catch {
            try await database.drop()
            throw error
        }
        try await database.drop()
    }

    /// Runs `body` with a database that has all migrations applied.
    package static func withMigrated(_ body: (TestDatabase) async throws -> Void) async throws {
        try await withEmpty { database in
            try await database.migrate()
            try await body(database)
        }
    }

    // MARK: Operations

    package func migrate() async throws { try await Migrations(configuration, logger: logger).apply() }

    /// Returns the configuration with another application name.
    package func configuration(named application: String) throws -> PostgresConfiguration {
        try PostgresConfiguration(url: url, applicationName: application)
    }

    /// Returns a pool whose statements wait for locks as long as a test may take. Close it after use.
    package func patientPool() -> PostgresPool {
        var configuration = configuration
        configuration.queryTimeout = .seconds(600)
        configuration.lockTimeout = .seconds(600)
        var options = PostgresPool.Options()
        options.leaseTimeout = .seconds(600)
        return PostgresPool(configuration, options: options, logger: logger)
    }

    /// Starts a task that updates a store from the database until the task is cancelled.
    package func follow(_ store: SnapshotStore) -> Task<Void, Never> {
        let changes = ChangeListener(configuration, logger: logger)
        return Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await changes.run() }
                group.addTask { await store.run(on: changes) }
            }
        }
    }

    /// Waits until the database's clock has advanced to the next unit.
    ///
    /// - Parameter unit: `second`, or `milliseconds`. The times of marks are rounded to milliseconds.
    package func nextTick(of unit: String) async throws {
        let tick = "date_trunc('\(unit)', clock_timestamp())"
        let begin = try await pool.query("SELECT \(tick)::text AS time")[0]["time"].text
        try await eventually("the clock moves on from \(begin)") {
            try await pool.query("SELECT \(tick) > $1::timestamptz AS has_come", [.text(begin)])[0]["has_come"].bool
        }
    }

    /// Runs `body` while the database accepts no connections.
    package func withoutConnections(_ body: () async throws -> Void) async throws {
        try await asAdministrator { admin in
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
        }
    }

    /// Runs `body` with a connection to the server's own database, which can alter or drop this database.
    package func asAdministrator(_ body: (PostgresConnection) async throws -> Void) async throws {
        try await Self.asAdministrator(of: server, body)
    }

    private static func asAdministrator(
        of server: String, _ body: (PostgresConnection) async throws -> Void
    ) async throws {
        let connection = try await PostgresConnection.connect(PostgresConfiguration(url: server))
        try await body(connection)
        await connection.close()
    }
}
