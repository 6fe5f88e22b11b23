import PostgresClient

/// A test that recognises a pooler in transaction mode without leaving a LISTEN in one of its sessions. Other clients
/// would use that session afterwards.
struct SessionSharing {
    /// The number of comparisons. Each takes two round trips and keeps no session of the pooler.
    private static let looks = 10

    private var own: Int?

    /// Compares the sessions of two connections.
    /// - Parameters:
    ///   - one: the server's session that a connection used just now.
    ///   - other: the session of another connection, while the first one is open.
    /// - Returns: whether the connections share sessions.
    mutating func isSeen(_ one: Int, _ other: Int) -> Bool {
        defer { own = one }
        return one == other || (own ?? one) != one
    }

    static func isFound(_ one: PostgresConnection, _ pool: PostgresPool) async throws -> Bool {
        let query = "SELECT pg_backend_pid() AS session"
        var sharing = Self()
        for _ in 0..<looks {
            let session = try await one.query(query)[0]["session"].integer
            if try await sharing.isSeen(session, pool.query(query)[0]["session"].integer) { return true }
        }
        return false
    }
}
