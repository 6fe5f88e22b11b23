public import PostgresClient
public import PushModel

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

    /// - Returns: what is in force of a job; nil: nothing.
    /// - Throws: ``PostgresError``.
    public func find(_ job: String) async throws -> Cancellation? {
        try await pool.query(
            """
            SELECT cancelled_at, cancelled_by FROM martlet.cancelled_jobs WHERE job = $1 AND expires_at > now()
            """, [.text(job)]
        ).first.map { row in
            Cancellation(
                at: Timestamp(milliseconds: try row["cancelled_at"].milliseconds), by: try row["cancelled_by"].text)
        }
    }

    /// Forgets cancellations that have expired: those older than any job can be scheduled ahead.
    /// - Throws: ``PostgresError``.
    public func forgetExpired() async throws {
        while try await pool.query("SELECT martlet.forget_cancellations() AS gone")[0]["gone"].integer > 0 {}
    }
}

/// Somebody's wish that no more of a job is sent.
public struct Cancellation: Sendable, Hashable {
    public let at: Timestamp
    /// Who was logged in to PostgreSQL.
    public let by: String

    package init(at: Timestamp, by: String) {
        self.at = at
        self.by = by
    }
}
