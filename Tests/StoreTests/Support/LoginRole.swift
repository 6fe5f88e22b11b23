import Foundation
import PostgresClient
import TestSupport
import Testing
import WorkerTestSupport

extension TestDatabase {
    /// Runs `body` with a pool of a new login role that is a member of the given groups only.
    func withLogin(in groups: String, _ body: (PostgresPool, String) async throws -> Void) async throws {
        let role = "martlet_test_role_\(UInt64.random(in: 0 ... .max))"
        try await pool.query(
            "CREATE ROLE \(role) LOGIN PASSWORD 'test' \(groups.isEmpty ? "" : "IN ROLE \(groups)")")
        let server = try #require(TestServers.database)
        var components = try #require(URLComponents(string: server))
        (components.user, components.password, components.path) = (role, "test", "/" + name)
        let url = try #require(components.string)
        let configuration = try PostgresConfiguration(url: url, applicationName: "a test")
        let login = PostgresPool(configuration, logger: logger)
        do {
            try await body(login, role)
        } catch {
            Issue.record(error)
        }
        login.close()
        try await pool.query("DROP OWNED BY \(role)")
        try await pool.query("DROP ROLE \(role)")
    }
}
