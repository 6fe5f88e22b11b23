public import PostgresClient

/// Jobs that are not to be sent, or not any further: `martlet.cancelled_jobs`. Workers follow it
/// (``CancellationFeed``).
public struct CancellationRepository: Sendable {
    private let pool: PostgresPool

    public init(_ pool: PostgresPool) {
        self.pool = pool
    }

    /// One that is in force already holds for as long as a new one from now on.
    /// - Returns: whether none was in force.
    /// - Throws: ``PostgresError``.
    public func cancel(_ job: String) async throws -> Bool {
        try await pool.query("SELECT martlet.cancel_job($1) AS is_new", [.text(job)])[0]["is_new"].bool
    }

    /// Jobs that are still in the broker are sent after all.
    /// - Returns: whether a cancellation was in force.
    /// - Throws: ``PostgresError``.
    public func restore(_ job: String) async throws -> Bool {
        try await pool.query(
            "DELETE FROM martlet.cancelled_jobs WHERE job = $1 RETURNING expires_at > now() AS was_in_force",
            [.text(job)]
        ).first?["was_in_force"].bool ?? false
    }

    /// Forgets cancellations that have expired: those older than any job can be scheduled ahead.
    /// - Throws: ``PostgresError``.
    public func forgetExpired() async throws {
        while try await pool.query("SELECT martlet.forget_cancellations() AS gone")[0]["gone"].integer > 0 {}
    }
}
