import PostgresClient
import TestSupport
import Testing

/// The real server that tests use.
enum TestServer {
    static func configuration() throws -> PostgresConfiguration {
        var configuration = try PostgresConfiguration(url: try #require(TestServers.database))
        configuration.connectTimeout = .seconds(60)
        return configuration
    }

    static func connect() async throws -> PostgresConnection {
        try await PostgresConnection.connect(configuration())
    }

    /// Terminates a session from outside, as an administrator or a failing server would.
    static func terminate(_ processID: Int) async throws {
        let connection = try await connect()
        try await connection.query("SELECT pg_terminate_backend($1)", [.int(Int32(processID))])
        await connection.close()
    }

    /// A URL with a loopback port on which no server listens.
    static let unreachable = "postgres://nobody:hunter2@127.0.0.1:1/none"
}

extension PostgresConnection {
    func processID() async throws -> Int {
        try await query("SELECT pg_backend_pid() AS pid")[0]["pid"].integer
    }
}
