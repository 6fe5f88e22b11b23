import Foundation
import PostgresClient
import Testing

/// The real server that tests use, from MARTLET_TEST_DATABASE_URL.
enum TestServer {
    static let url = ProcessInfo.processInfo.environment["MARTLET_TEST_DATABASE_URL"]
    static let missing: Comment = "MARTLET_TEST_DATABASE_URL is not set"

    static func configuration() throws -> PostgresConfiguration {
        try PostgresConfiguration(url: try #require(url))
    }

    static func connect() async throws -> PostgresConnection {
        try await PostgresConnection.connect(configuration())
    }

    /// Ends a session from outside, as an administrator or a failing server would.
    static func terminate(_ processID: Int) async throws {
        let connection = try await connect()
        try await connection.query("SELECT pg_terminate_backend($1)", [.int(Int32(processID))])
        await connection.close()
    }

    /// A loopback port that nobody listens on.
    static let unreachable = "postgres://nobody:hunter2@127.0.0.1:1/none"
}

extension PostgresConnection {
    func processID() async throws -> Int {
        try await query("SELECT pg_backend_pid() AS pid")[0]["pid"].integer
    }
}

/// Waits for something that another thread will bring about.
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
