public import PostgresClient
public import PushModel

/// The refused credentials that workers have found, stored in `martlet.refusals`.
public struct RefusalRepository: Sendable {
    /// The age in seconds above which a row no longer counts. Workers renew their rows every minute, so the worker of
    /// an older row has gone.
    public static let validSeconds = 300

    private let pool: PostgresPool

    public init(_ pool: PostgresPool) {
        self.pool = pool
    }

    /// Records the refusals that a worker has found, and deletes rows that no worker has written for ``validSeconds``.
    ///
    /// Each statement is a transaction of its own and locks its rows in key order, so two workers never deadlock. All
    /// statements may be repeated.
    /// - Parameter ended: refusals that no longer hold. A subject that is also in `refusals` is recorded.
    /// - Throws: ``PostgresError``.
    public func write(_ refusals: [Refusal], ended: [Refusal], worker: String) async throws {
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
        // A worker that holds the lock either deletes the row or has just renewed it.
        try await pool.query(
            """
            \(Self.deletion) WHERE last_refused_at < now() - interval '\(Self.validSeconds) seconds'
            FOR UPDATE SKIP LOCKED)
            """)
    }

    /// Deletes the rows of a worker that stops. Another worker with the same refusal writes its row again within a
    /// minute.
    /// - Parameter timeout: the longest time that a stopping worker waits for the database.
    /// - Throws: ``PostgresError``.
    public func remove(worker: String, timeout: Duration = .seconds(4)) async throws {
        try await pool.query(
            "\(Self.deletion) WHERE worker = $1 \(Self.inOrder)", [.text(worker)], timeout: timeout)
    }

    /// Returns the current refusals, the oldest first. A refusal without a start time counts from its last occurrence.
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

    /// Leaves out credentials that were removed meanwhile. The first worker to find a refusal sets its start time.
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
