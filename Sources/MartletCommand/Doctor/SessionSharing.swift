import PostgresClient

/// A test that recognises a pooler in transaction mode. Unlike a `LISTEN`, it leaves nothing in a pooled session, which
/// other clients use afterwards.
struct SessionSharing {
    /// The number of comparisons. Each takes two round trips, and occupies a pooled session only during each query.
    private static let looks = 10

    private var own: Int?

    /// Compares the server sessions of two connections.
    ///
    /// - Parameters:
    ///   - one: the server session that the first connection has just used.
    ///   - other: the server session of another connection while the first connection is open.
    /// - Returns: whether a pooler shares its sessions among connections.
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
