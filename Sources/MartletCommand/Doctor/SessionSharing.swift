import PostgresClient

/// Tells a pooler in transaction mode from a session of one's own without leaving anything in it: what listens over such a
/// pooler is a session that others use afterwards.
struct SessionSharing {
    /// Each takes two round trips and keeps no session of the pooler's.
    private static let looks = 10

    private var own: Int?

    /// - Parameters:
    ///   - one: the server's session that a connection had just now.
    ///   - other: that of another connection, while the first is open.
    /// - Returns: whether connections have no session of their own.
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
