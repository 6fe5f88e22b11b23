import Foundation
import PostgresClient
import TestSupport
import Testing
import WorkerTestSupport

extension Installation {
    /// Runs `body` with the URL of a login role that has only the rights of a group.
    func withLogin(in group: String, _ body: (String) async throws -> Void) async throws {
        let role = "martlet_test_role_\(UInt64.random(in: 0 ... .max))"
        try await database.pool.query("CREATE ROLE \(role) LOGIN PASSWORD 'test' IN ROLE \(group)")
        var components = try #require(URLComponents(string: database.url))
        (components.user, components.password) = (role, "test")
        let url = try #require(components.string)
        do {
            try await body(url)
        } catch {
            Issue.record(error)
        }
        try await database.pool.query("DROP ROLE \(role)")
    }
}
