public import PostgresClient

/// The workers that run: `martlet.workers`. Only the database's clock counts, so theirs may be wrong.
public struct WorkerRepository: Sendable {
    /// Who was not heard of for so long shares nothing.
    public static let staleSeconds = 6
    /// Who was not heard of for so long is not shown.
    public static let shownSeconds = 60
    /// A row that is not renewed every two seconds is late; one that takes longer than this can't be in time.
    private static let patience = Duration.seconds(4)

    private let pool: PostgresPool

    public init(_ pool: PostgresPool) {
        self.pool = pool
    }

    /// Says that a worker runs, which quotas it shares, and how it is.
    ///
    /// - Returns: how many share each, this one among them.
    /// - Throws: ``PostgresError``.
    public func renew(
        _ worker: RunningWorker, quotas: [String], report: WorkerReport? = nil
    ) async throws -> [String: Int] {
        let uptime = (ContinuousClock.now - worker.start) / .milliseconds(1)
        return try await pool.query(
            Self.renewal,
            [
                .text(worker.id), .text(worker.name), .text(worker.version), .textArray(worker.outputs),
                .bigint(Int64(uptime)), .textArray(quotas), .text(try report?.json() ?? "{}"),
            ], timeout: Self.patience
        ).reduce(into: [:]) { $0[try $1["quota"].text] = try $1["workers"].integer }
    }

    /// It has ended.
    /// - Throws: ``PostgresError``.
    public func remove(_ worker: RunningWorker) async throws {
        try await pool.query(
            "DELETE FROM martlet.workers WHERE id = $1", [.text(worker.id)], timeout: Self.patience)
    }

    /// Deletes the rows of workers that have been silent for an hour. Rows that another worker is deleting are skipped.
    /// - Throws: ``PostgresError``.
    public func forgetStale() async throws {
        try await pool.query(
            """
            DELETE FROM martlet.workers WHERE id IN (
                SELECT id FROM martlet.workers WHERE NOT \(Self.seen(within: 3_600)) FOR UPDATE SKIP LOCKED)
            """)
    }

    /// Those that are there: heard of within a minute, and not silent while a younger one of that name runs. Each with what it
    /// says of itself; by name, a thousand at most.
    ///
    /// - Parameter timeout: nil for the usual one.
    /// - Throws: ``PostgresError``.
    public func fleet(timeout: Duration? = nil) async throws -> [FleetMember] {
        let heard = try await pool.query(
            """
            SELECT id, left(name, 200) AS name, left(version, 50) AS version, outputs[1:20] AS outputs,
                report::text AS report,
                CASE WHEN isfinite(started_at)
                    THEN greatest(0, extract(epoch FROM clock_timestamp() - started_at))::bigint ELSE 0 END AS uptime,
                greatest(0, extract(epoch FROM clock_timestamp() - seen_at))::bigint AS silent
            FROM martlet.workers WHERE \(Self.seen(within: Self.shownSeconds)) ORDER BY name, id LIMIT 1000
            """, timeout: timeout
        ).map { row in
            FleetMember(
                id: try row["id"].uuid, name: try row["name"].text, version: try row["version"].text,
                outputs: try row["outputs"].textArray, uptimeSeconds: try row["uptime"].integer,
                silentSeconds: try row["silent"].integer, report: WorkerReport(json: try row["report"].text))
        }
        let youngest = Dictionary(
            heard.lazy.filter { !$0.isSilent }.map { ($0.name, $0.uptimeSeconds) }, uniquingKeysWith: min)
        return heard.filter { member in
            !member.isSilent || youngest[member.name].map { $0 <= member.uptimeSeconds } != true
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
            INSERT INTO martlet.workers (id, name, version, started_at, seen_at, outputs, quotas, report)
            VALUES ($1, $2, $3, clock_timestamp() - $5::bigint * interval '1 ms', clock_timestamp(), $4::text[], $6::text[],
                $7::text::jsonb)
            ON CONFLICT (id) DO UPDATE
                SET seen_at = excluded.seen_at, quotas = excluded.quotas, report = excluded.report)
        SELECT quota, 1 + count(others.quota) AS workers
        FROM unnest($6::text[]) AS quota
        LEFT JOIN (
            SELECT unnest(quotas) AS quota FROM martlet.workers WHERE id <> $1 AND \(seen(within: staleSeconds))
        ) AS others USING (quota)
        GROUP BY quota
        """
}
