public import PostgresClient
public import PushModel

/// What the workers know of refused credentials: `martlet.refusals`.
public struct RefusalRepository: Sendable {
    /// A worker writes its rows more often than this, in seconds; what is older is of a worker that has gone.
    public static let validSeconds = 300
    /// A stop does not wait for longer.
    private static let patience = Duration.seconds(4)

    private let pool: PostgresPool

    public init(_ pool: PostgresPool) {
        self.pool = pool
    }

    /// Writes what a worker knows, and clears away what nobody writes any more.
    /// - Parameter ended: what the provider no longer refuses.
    /// - Throws: ``PostgresError``.
    public func write(_ refusals: [Refusal], ended: [Refusal], worker: String) async throws {
        try await pool.transaction { connection in
            for refusal in ended {
                try await connection.query(
                    """
                    DELETE FROM martlet.refusals
                    WHERE credential = $1 AND environment = $2::text::martlet.environment AND topic = $3
                    """, Self.key(refusal))
            }
            for refusal in refusals {
                // A credential may have been removed meanwhile; the first worker to find out says since when.
                try await connection.query(
                    """
                    INSERT INTO martlet.refusals (credential, environment, topic, reason, since, worker)
                    SELECT id, $2::text::martlet.environment, $3, $4, $5, $6 FROM martlet.credentials WHERE id = $1
                    ON CONFLICT (credential, environment, topic) DO UPDATE
                        SET reason = excluded.reason, last_refused_at = now(), worker = excluded.worker
                    """,
                    Self.key(refusal) + [
                        .text(refusal.reason), .timestamp(milliseconds: refusal.since.milliseconds), .text(worker),
                    ])
            }
            try await connection.query(
                "DELETE FROM martlet.refusals WHERE last_refused_at < now() - interval '\(Self.validSeconds) seconds'")
        }
    }

    /// It has ended, and says nothing more of its rows. Another worker that is refused the same writes it again within a minute.
    /// - Throws: ``PostgresError``.
    public func remove(worker: String) async throws {
        try await pool.query(
            "DELETE FROM martlet.refusals WHERE worker = $1", [.text(worker)], timeout: Self.patience)
    }

    /// What is refused now, the oldest first; one that has no time since it was last refused.
    /// - Throws: ``PostgresError``.
    public func list() async throws -> [Refusal] {
        try await pool.query(
            """
            SELECT credential, environment::text AS environment, topic, reason,
                CASE WHEN isfinite(since) THEN since ELSE least(last_refused_at, now()) END AS since
            FROM martlet.refusals
            WHERE last_refused_at >= now() - interval '\(Self.validSeconds) seconds'
            ORDER BY since, credential, environment, topic
            """
        ).map { row in
            let topic = try row["topic"].text
            return Refusal(
                credential: try row["credential"].uuid,
                environment: PushEnvironment(rawValue: try row["environment"].text) ?? .production,
                topic: topic.isEmpty ? nil : topic, reason: try row["reason"].text,
                since: Timestamp(milliseconds: try row["since"].milliseconds))
        }
    }

    private static func key(_ refusal: Refusal) -> [PostgresValue] {
        [.text(refusal.credential), .text(refusal.environment.rawValue), .text(refusal.topic ?? "")]
    }
}
