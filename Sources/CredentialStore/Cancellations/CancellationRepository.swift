public import PostgresClient

/// Jobs that are not to be sent, or not any further: `martlet.cancelled_jobs`. Workers follow it
/// (``CancellationFeed``).
public struct CancellationRepository: Sendable {
    private let pool: PostgresPool

    public init(_ pool: PostgresPool) {
        self.pool = pool
    }

    /// - Returns: whether it was not cancelled before.
    /// - Throws: ``PostgresError``.
    public func cancel(_ job: String) async throws -> Bool {
        try await pool.query(
            "INSERT INTO martlet.cancelled_jobs (job) VALUES ($1) ON CONFLICT DO NOTHING", [.text(job)]
        ).affectedRows == 1
    }

    /// What is still in the broker is sent after all.
    /// - Returns: whether it was cancelled.
    /// - Throws: ``PostgresError``.
    public func restore(_ job: String) async throws -> Bool {
        try await pool.query("DELETE FROM martlet.cancelled_jobs WHERE job = $1", [.text(job)]).affectedRows == 1
    }

    /// Forgets cancellations that have expired: those older than any job can be scheduled ahead.
    /// - Throws: ``PostgresError``.
    public func forgetExpired() async throws {
        while try await pool.query("SELECT martlet.forget_cancellations() AS gone")[0]["gone"].integer > 0 {}
    }
}
