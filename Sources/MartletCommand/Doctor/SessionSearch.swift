import PostgresClient

/// Finds a session of the server again that a pooler hands to somebody else for each transaction.
struct SessionSearch {
    /// So many transactions are kept open meanwhile, that the pooler has to hand out another session.
    private static let most = 8

    private let configuration: PostgresConfiguration

    init(_ configuration: PostgresConfiguration) {
        var configuration = configuration
        // A pooler that has none to hand out lets us wait.
        configuration.queryTimeout = .seconds(2)
        self.configuration = configuration
    }

    /// - Returns: whether it listens no more.
    func unlisten(_ channel: String, in session: Int) async -> Bool {
        (try? await search(channel, session, Self.most)) ?? false
    }

    private func search(_ channel: String, _ session: Int, _ left: Int) async throws -> Bool {
        let connection = try await PostgresConnection.connect(configuration)
        let isDone = try await connection.transaction { connection in
            let row = try await connection.query(
                """
                SELECT pg_backend_pid() AS own, EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1) AS runs
                """, [.int(Int32(session))])[0]
            guard try row["runs"].bool else { return true }
            guard try row["own"].integer == session else {
                return left > 1 ? try await search(channel, session, left - 1) : false
            }
            try await connection.query("UNLISTEN \(channel)")
            return true
        }
        await connection.close()
        return isDone
    }
}
