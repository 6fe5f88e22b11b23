public import PostgresClient

/// Jobs that are not to be sent, or not any further: `martlet.cancelled_jobs`. Workers learn of them as of apps.
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

    /// Forgets cancellations that are older than any job can be scheduled ahead.
    /// - Throws: ``PostgresError``.
    public func forgetOld(days: Int) async throws {
        try await pool.query(
            "DELETE FROM martlet.cancelled_jobs WHERE cancelled_at < now() - $1::text::integer * interval '1 day'",
            [.text(String(days))])
    }
}
