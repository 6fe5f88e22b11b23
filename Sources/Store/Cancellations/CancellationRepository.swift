package import PostgresClient
package import PushModel

/// The cancelled jobs, stored in `martlet.cancelled_jobs`. Workers follow the table with a ``CancellationFeed``.
package struct CancellationRepository: Sendable {
    private let pool: PostgresPool

    package init(_ pool: PostgresPool) {
        self.pool = pool
    }

    /// Cancels a job. If a cancellation is already in force, it is extended to last as long as a new one.
    /// - Returns: whether the job had no cancellation in force.
    /// - Throws: ``PostgresError``.
    package func cancel(_ job: String) async throws -> Bool {
        try await pool.query("SELECT martlet.cancel_job($1) AS is_new", [.text(job)])[0]["is_new"].bool
    }

    /// Withdraws the cancellation of a job. Messages of the job that are still in the broker are then sent.
    /// - Returns: whether a cancellation was in force.
    /// - Throws: ``PostgresError``.
    package func restore(_ job: String) async throws -> Bool {
        try await pool.query(
            "DELETE FROM martlet.cancelled_jobs WHERE job = $1 RETURNING expires_at > now() AS was_in_force",
            [.text(job)]
        ).first?["was_in_force"].bool ?? false
    }

    /// Returns the cancellation of a job that is in force, or `nil` if the job is not cancelled.
    /// - Throws: ``PostgresError``.
    package func find(_ job: String) async throws -> Cancellation? {
        try await pool.query(
            """
            SELECT cancelled_at, cancelled_by FROM martlet.cancelled_jobs WHERE job = $1 AND expires_at > now()
            """, [.text(job)]
        ).first.map { row in
            Cancellation(
                at: Timestamp(milliseconds: try row["cancelled_at"].milliseconds), by: try row["cancelled_by"].text)
        }
    }

    /// Deletes expired cancellations. A cancellation lasts longer than a job can wait for its `send_at`.
    /// - Throws: ``PostgresError``.
    package func forgetExpired() async throws {
        while try await pool.query("SELECT martlet.forget_cancellations() AS gone")[0]["gone"].integer > 0 {}
    }
}

/// The cancellation of a job, after which no further push of the job is sent.
package struct Cancellation: Sendable, Hashable {
    package let at: Timestamp
    /// The database role that cancelled the job.
    package let by: String

    package init(at: Timestamp, by: String) {
        self.at = at
        self.by = by
    }
}
