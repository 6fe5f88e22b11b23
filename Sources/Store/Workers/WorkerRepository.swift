package import PostgresClient

/// The workers of the fleet, stored in `martlet.workers`. Only the database's clock counts, so the clocks of workers
/// may be wrong.
package struct WorkerRepository: Sendable {
    /// The time without a renewal, in seconds, after which a worker is silent and no longer counts for quotas.
    package static let staleSeconds = 6
    /// The time without a renewal, in seconds, after which the row of a worker is no longer shown. A worker that
    /// replaces the silent worker, or an operator, may delete the row earlier.
    private static let shownSeconds = 7 * 86_400
    /// The maximum time by which a row's time may be in the future, in seconds. A row that is further ahead was written
    /// before the server's clock was set back.
    private static let aheadSeconds = 60
    /// The time without a renewal, in seconds, after which a new worker replaces a worker of the same name. A running
    /// worker renews its row every two seconds.
    private static let lateSeconds = 4
    /// The time without a renewal, in seconds, after which a new worker may replace a worker of another name. It allows
    /// for an outage of the database, after which running workers renew their rows within five seconds.
    private static let goneSeconds = 15
    /// The timeout of the statements that renew, remove and replace rows.
    private static let patience = Duration.seconds(4)

    private let pool: PostgresPool

    package init(_ pool: PostgresPool) {
        self.pool = pool
    }

    /// Renews the row of a running worker, with its quotas and its report.
    ///
    /// - Returns: the number of workers that share each quota, by the quota's name. The number includes this worker.
    /// - Throws: ``PostgresError``.
    package func renew(
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

    /// Deletes the row of a worker that stops.
    /// - Throws: ``PostgresError``.
    package func remove(_ worker: RunningWorker) async throws {
        try await pool.query(
            "DELETE FROM martlet.workers WHERE id = $1", [.text(worker.id)], timeout: Self.patience)
    }

    /// Deletes the rows of the workers that a new worker replaces. Only workers that last renewed their rows before the
    /// new worker started are replaced. The new worker replaces all silent workers of its name or, if there are none,
    /// the worker that has been silent for longest.
    ///
    /// - Returns: the deleted rows.
    /// - Throws: ``PostgresError``.
    package func replaceSilent(by worker: RunningWorker) async throws -> [FleetMember] {
        let uptime = (ContinuousClock.now - worker.start) / .milliseconds(1)
        return try await pool.query(
            """
            WITH silent AS (
                SELECT id, name, seen_at FROM martlet.workers
                WHERE id <> $1 AND seen_at < clock_timestamp() - greatest(
                    CASE WHEN name = $2 THEN interval '\(Self.lateSeconds) s' ELSE interval '\(Self.goneSeconds) s' END,
                    $3::bigint * interval '1 ms')
            ), replaced AS (
                SELECT id FROM silent WHERE name = $2
                UNION ALL (
                    SELECT id FROM silent WHERE NOT EXISTS (SELECT FROM silent WHERE name = $2) ORDER BY seen_at LIMIT 1)
            )
            DELETE FROM martlet.workers WHERE id IN (SELECT id FROM replaced) RETURNING \(Self.memberColumns)
            """, [.text(worker.id), .text(worker.name), .bigint(Int64(uptime))], timeout: Self.patience
        ).map(Self.member)
    }

    /// Deletes the rows of workers with the given name that ended without signing off.
    ///
    /// - Returns: the number of deleted rows.
    /// - Throws: ``PostgresError``.
    package func forgetSilent(name: String) async throws -> Int {
        try await pool.query(
            """
            DELETE FROM martlet.workers
            WHERE name = $1 AND seen_at < clock_timestamp() - interval '\(Self.staleSeconds) s' RETURNING id
            """, [.text(name)]
        ).count
    }

    /// Deletes the rows of workers that have been silent for a week, and rows whose last renewal is more than an hour
    /// in the future. Rows that another worker is deleting are skipped.
    /// - Throws: ``PostgresError``.
    package func forgetStale() async throws {
        try await pool.query(
            """
            DELETE FROM martlet.workers WHERE id IN (
                SELECT id FROM martlet.workers WHERE NOT \(Self.seen(within: Self.shownSeconds, ahead: 3_600))
                FOR UPDATE SKIP LOCKED)
            """)
    }

    /// Returns the workers of the fleet, sorted by name. A worker that ended without signing off is left out if a
    /// younger worker with its name is running. Only the thousand most recently renewed rows are read.
    ///
    /// - Parameter timeout: the timeout of the query, or `nil` for the pool's timeout.
    /// - Throws: ``PostgresError``.
    package func fleet(timeout: Duration? = nil) async throws -> [FleetMember] {
        let received = try await pool.query(
            """
            SELECT \(Self.memberColumns) FROM (
                SELECT * FROM martlet.workers WHERE \(Self.seen(within: Self.shownSeconds, ahead: Self.aheadSeconds))
                ORDER BY seen_at DESC LIMIT 1000
            ) AS shown ORDER BY name, id
            """, timeout: timeout
        ).map(Self.member)
        let youngest = Dictionary(
            received.lazy.filter { !$0.isSilent }.map { ($0.name, $0.uptimeSeconds) }, uniquingKeysWith: min)
        return received.filter { member in
            !member.isSilent || youngest[member.name].map { $0 <= member.uptimeSeconds } != true
        }
    }

    private static let memberColumns = """
        id, left(name, 200) AS name, left(version, 50) AS version, outputs[1:20] AS outputs, report::text AS report,
        CASE WHEN isfinite(started_at)
            THEN greatest(0, extract(epoch FROM clock_timestamp() - started_at))::bigint ELSE 0 END AS uptime,
        greatest(0, extract(epoch FROM clock_timestamp() - seen_at))::bigint AS silent
        """

    private static func member(_ row: PostgresRow) throws -> FleetMember {
        FleetMember(
            id: try row["id"].uuid, name: try row["name"].text, version: try row["version"].text,
            outputs: try row["outputs"].textArray, uptimeSeconds: try row["uptime"].integer,
            silentSeconds: try row["silent"].integer, report: WorkerReport(json: try row["report"].text))
    }

    /// Returns whether the current user may write the rows of workers. Also returns `true` for a user that does not run
    /// workers. Such a user has no permission to write `martlet.refusals`.
    ///
    /// - Throws: ``PostgresError``.
    package func mayBeWritten() async throws -> Bool {
        let row = try await pool.query(
            """
            SELECT NOT has_table_privilege('martlet.refusals', 'INSERT')
                OR NOT EXISTS (SELECT FROM unnest('{SELECT,INSERT,UPDATE,DELETE}'::text[]) AS needed
                    WHERE NOT has_table_privilege('martlet.workers', needed)) AS may
            """)[0]
        return try row["may"].bool
    }

    /// Returns an SQL condition for rows that were renewed recently. A renewal far in the future does not count,
    /// because it was recorded before the server's clock was set back.
    private static func seen(within seconds: Int, ahead: Int? = nil) -> String {
        "seen_at BETWEEN clock_timestamp() - interval '\(seconds) s' "
            + "AND clock_timestamp() + interval '\(ahead ?? seconds) s'"
    }

    /// The statement that renews a worker's row and counts the workers for each quota. The statement does not see its
    /// own insert. It therefore counts only the other workers and adds one for this worker.
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
