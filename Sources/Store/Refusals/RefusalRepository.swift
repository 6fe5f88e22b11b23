package import PostgresClient
package import PushModel

/// The refused credentials that workers have found, stored in `martlet.refusals`.
package struct RefusalRepository: Sendable {
    /// The maximum age of a valid row, in seconds. Workers renew their rows every minute, so the worker of an older row
    /// has stopped.
    package static let validSeconds = 150

    private let pool: PostgresPool

    package init(_ pool: PostgresPool) {
        self.pool = pool
    }

    /// Records the refusals that a worker has found, and deletes rows that no worker has written for ``validSeconds``.
    ///
    /// Each statement is a separate transaction. It locks its rows in key order or skips locked rows, so two workers
    /// never deadlock. All statements may be repeated.
    ///
    /// - Parameter ended: the refusals that have ended. A refusal that is also in `refusals` is recorded.
    /// - Throws: ``PostgresError``.
    package func write(_ refusals: [Refusal], ended: [Refusal], worker: String) async throws {
        if !ended.isEmpty {
            try await pool.query(
                """
                \(Self.deletion) WHERE (credential, environment, topic) IN (
                    SELECT * FROM unnest($1::text[]::uuid[], $2::text[]::martlet.environment[], $3::text[]))
                \(Self.inOrder)
                """, Self.keys(of: ended))
        }
        if !refusals.isEmpty {
            try await pool.query(
                Self.upsert,
                Self.keys(of: refusals) + [
                    .textArray(refusals.map(\.reason)),
                    .timestampArray(milliseconds: refusals.map(\.since.milliseconds)), .text(worker),
                ])
        }
        // The statement skips a locked row, because the worker that holds the lock either deletes the row or has just
        // renewed it.
        try await pool.query(
            """
            \(Self.deletion) WHERE last_refused_at < now() - interval '\(Self.validSeconds) seconds'
            FOR UPDATE SKIP LOCKED)
            """)
    }

    /// Deletes the rows of a worker that stops. If another worker has the same refusal, it writes the row again within
    /// a minute.
    ///
    /// - Parameter timeout: the maximum time that a stopping worker waits for the database.
    /// - Throws: ``PostgresError``.
    package func remove(worker: String, timeout: Duration = .seconds(4)) async throws {
        try await pool.query(
            "\(Self.deletion) WHERE worker = $1 \(Self.inOrder)", [.text(worker)], timeout: timeout)
    }

    /// Returns the current refusals, the oldest first. If a start time is infinite, the last refusal's time counts.
    /// - Throws: ``PostgresError``.
    package func list() async throws -> [Refusal] {
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

    private static func keys(of refusals: [Refusal]) -> [PostgresValue] {
        [
            .textArray(refusals.map(\.credential)), .textArray(refusals.map(\.environment.rawValue)),
            .textArray(refusals.map { $0.topic ?? "" }),
        ]
    }

    private static let keyOrder = "ORDER BY credential, environment, topic COLLATE \"C\""
    private static let deletion = """
        DELETE FROM martlet.refusals WHERE (credential, environment, topic) IN (
            SELECT credential, environment, topic FROM martlet.refusals
        """
    private static let inOrder = "\(keyOrder) FOR UPDATE)"

    /// The statement that records refusals. It leaves out credentials that were removed in the meantime. The first
    /// worker that finds a refusal sets its start time.
    private static let upsert = """
        INSERT INTO martlet.refusals (credential, environment, topic, reason, since, worker)
        SELECT DISTINCT ON (credential, environment, topic COLLATE "C") credential, environment, topic, reason, since, $6
        FROM unnest($1::text[]::uuid[], $2::text[]::martlet.environment[], $3::text[], $4::text[], $5::timestamptz[])
            AS known (credential, environment, topic, reason, since)
        WHERE credential IN (SELECT id FROM martlet.credentials)
        \(keyOrder)
        ON CONFLICT (credential, environment, topic) DO UPDATE
            SET reason = excluded.reason, last_refused_at = now(), worker = excluded.worker
        """
}
