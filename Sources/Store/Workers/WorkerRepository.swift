public import PostgresClient

/// The workers that run: `martlet.workers`. Only the database's clock counts, so theirs may be wrong.
public struct WorkerRepository: Sendable {
    /// Who was not heard of for so long shares nothing.
    public static let staleSeconds = 6
    /// A row that is not renewed every two seconds is late; one that takes longer than this can't be in time.
    private static let patience = Duration.seconds(4)

    private let pool: PostgresPool

    public init(_ pool: PostgresPool) {
        self.pool = pool
    }

    /// Says that a worker runs, and which quotas it shares.
    ///
    /// - Returns: how many share each, this one among them.
    /// - Throws: ``PostgresError``.
    public func renew(_ worker: RunningWorker, quotas: [String]) async throws -> [String: Int] {
        let uptime = (ContinuousClock.now - worker.start) / .milliseconds(1)
        return try await pool.query(
            Self.renewal,
            [
                .text(worker.id), .text(worker.name), .text(worker.version), .textArray(worker.outputs),
                .bigint(Int64(uptime)), .textArray(quotas),
            ], timeout: Self.patience
        ).reduce(into: [:]) { $0[try $1["quota"].text] = try $1["workers"].integer }
    }

    /// It has ended.
    /// - Throws: ``PostgresError``.
    public func remove(_ worker: RunningWorker) async throws {
        try await pool.query(
            "DELETE FROM martlet.workers WHERE id = $1", [.text(worker.id)], timeout: Self.patience)
    }

    /// Clears away those that were not heard of for an hour.
    /// - Throws: ``PostgresError``.
    public func forgetStale() async throws {
        try await pool.query("DELETE FROM martlet.workers WHERE NOT \(Self.seen(within: 3_600))")
    }

    /// The names of those that run, and of those that were not heard of for a while.
    /// - Throws: ``PostgresError``.
    public func list() async throws -> (running: [String], stale: [String]) {
        let rows = try await pool.query(
            "SELECT name, \(Self.seen(within: Self.staleSeconds)) AS runs FROM martlet.workers ORDER BY name, id")
        return try rows.reduce(into: ([], [])) { found, row in
            let name = try row["name"].text
            if try row["runs"].bool { found.running.append(name) } else { found.stale.append(name) }
        }
    }

    /// Whether who is logged in may write rows; whoever is no worker's user, which shows by another of their tables, need not.
    /// - Throws: ``PostgresError``.
    public func mayBeWritten() async throws -> Bool {
        let row = try await pool.query(
            """
            SELECT NOT has_table_privilege('martlet.refusals', 'INSERT')
                OR NOT EXISTS (SELECT FROM unnest('{SELECT,INSERT,UPDATE,DELETE}'::text[]) AS needed
                    WHERE NOT has_table_privilege('martlet.workers', needed)) AS may
            """)[0]
        return try row["may"].bool
    }

    /// Neither long ago nor far ahead, as after the server's clock was set back.
    private static func seen(within seconds: Int) -> String {
        "seen_at BETWEEN clock_timestamp() - interval '\(seconds) s' AND clock_timestamp() + interval '\(seconds) s'"
    }

    /// One statement sees the others' rows as they were before it, so its own is counted by itself.
    private static let renewal = """
        WITH renewed AS (
            INSERT INTO martlet.workers (id, name, version, started_at, seen_at, outputs, quotas)
            VALUES ($1, $2, $3, clock_timestamp() - $5::bigint * interval '1 ms', clock_timestamp(), $4::text[], $6::text[])
            ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, quotas = excluded.quotas)
        SELECT quota, 1 + count(others.quota) AS workers
        FROM unnest($6::text[]) AS quota
        LEFT JOIN (
            SELECT unnest(quotas) AS quota FROM martlet.workers WHERE id <> $1 AND \(seen(within: staleSeconds))
        ) AS others USING (quota)
        GROUP BY quota
        """
}
