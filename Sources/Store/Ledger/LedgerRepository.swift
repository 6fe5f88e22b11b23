package import PostgresClient
package import PushModel

/// The outcome ledger, stored in `martlet.ledger`. Writing requires the role `martlet_ledger`, and reading requires
/// `martlet_operator`.
package struct LedgerRepository: Sendable {
    private static let patience = Duration.seconds(30)

    private let pool: PostgresPool

    package init(_ pool: PostgresPool) {
        self.pool = pool
    }

    /// Adds rows in one transaction. The same rows may be added again, because readers ignore duplicates.
    ///
    /// - Throws: ``PostgresError``.
    package func add(_ rows: [LedgerRow]) async throws {
        try await pool.query(
            """
            INSERT INTO martlet.ledger (at, kind, job, output, app, environment, ref, recipient, status, reason, detail,
                provider_id, attempts, redelivered, worker)
            SELECT at, kind, job, output, app, environment, ref, recipient, status::smallint, reason, detail,
                provider_id, attempts::integer, redelivered <> 0, worker
            FROM unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
                $8::bytea[], $9::bigint[], $10::text[], $11::text[], $12::text[], $13::bigint[], $14::bigint[],
                $15::text[])
                AS told (at, kind, job, output, app, environment, ref, recipient, status, reason, detail, provider_id,
                    attempts, redelivered, worker)
            """,
            [
                .timestampArray(milliseconds: rows.map(\.at.milliseconds)), .textArray(rows.map(\.kind)),
                .textArray(rows.map(\.job)), .textArray(rows.map(\.output)), .textArray(rows.map(\.app)),
                .textArray(rows.map(\.environment)), .textArray(rows.map(\.ref)), .byteaArray(rows.map(\.recipient)),
                .bigintArray(rows.map { $0.status.map { Int64($0) } }), .textArray(rows.map(\.reason)),
                .textArray(rows.map(\.detail)), .textArray(rows.map(\.providerID)),
                .bigintArray(rows.map { Int64($0.attempts) }), .bigintArray(rows.map { $0.isRedelivered ? 1 : 0 }),
                .textArray(rows.map(\.worker)),
            ], timeout: Self.patience)
    }

    /// Checks whether rows can be added, without writing anything. Like ``add(_:)``, the check fails if the database is
    /// unavailable, read-only or locked, or if the user lacks the permission to insert. Unlike ``add(_:)``, it does not
    /// fail if the partition of the day is missing.
    ///
    /// - Throws: ``PostgresError``.
    package func probe() async throws { try await add([]) }

    /// Creates the partitions of today and tomorrow, and drops partitions that are older than `days` days.
    ///
    /// - Returns: the number of dropped partitions.
    /// - Throws: ``PostgresError``.
    @discardableResult
    package func keep(days: Int) async throws -> Int {
        try await pool.query(
            "SELECT martlet.keep_ledger($1) AS dropped", [.int(Int32(clamping: days))], timeout: Self.patience)[0][
                "dropped"
            ].integer
    }

    /// Returns the beginning of the ledger, or `nil` if no ledger is kept. Rows are only appended, so the query reads
    /// only the first pages of each partition.
    ///
    /// - Throws: ``PostgresError``.
    package func begin() async throws -> LedgerBegin? {
        let row = try await pool.query(
            """
            SELECT EXISTS (SELECT FROM pg_catalog.pg_inherits WHERE inhparent = 'martlet.ledger'::regclass) AS kept,
                (SELECT min(noted_at) FROM martlet.ledger WHERE ctid < '(100,0)') AS first
            """)[0]
        guard try row["kept"].bool else { return nil }
        return LedgerBegin(first: try row["first"].optional.map { Timestamp(milliseconds: try $0.milliseconds) })
    }

    /// Returns the rows of a job or of one of its recipients, newest first. Rows without a recipient, such as a
    /// rejection of the job, are included for every recipient.
    ///
    /// - Parameters:
    ///   - kind: the kind of the rows, or `nil` for all kinds.
    ///   - ref: the `ref` of the recipient in the job, or `nil` for all recipients.
    ///   - recipients: the hashes of all addresses that the recipient may have, or `nil` for all recipients.
    /// - Throws: ``PostgresError``.
    package func rows(
        of job: String, kind: String? = nil, ref: String? = nil, recipients: [[UInt8]]? = nil, most: Int
    ) async throws -> [LedgerRow] {
        // The row of a rejected job has no recipient.
        let meant = ref == nil ? "$2::text IS NULL" : "(ref = $2 OR ref IS NULL AND recipient IS NULL)"
        return try await pool.query(
            """
            SELECT DISTINCT at, kind, output, app, environment, ref, recipient, status, reason, detail, provider_id,
                attempts, redelivered, worker
            FROM martlet.ledger
            WHERE job = $1 AND \(meant)
                AND ($3::bytea[] IS NULL OR recipient = ANY ($3) OR recipient IS NULL)
                AND ($5::text IS NULL OR kind = $5)
            ORDER BY at DESC LIMIT $4
            """,
            [
                .text(job), ref.map { .text($0) } ?? .null, recipients.map { .byteaArray($0) } ?? .null,
                .int(Int32(clamping: most)), kind.map { .text($0) } ?? .null,
            ]
        ).map { try LedgerRow($0, of: job) }
    }

    /// Returns the counts of a job's outcomes, by kind, output, app, environment and reason.
    ///
    /// - Throws: ``PostgresError``.
    package func sums(of job: String) async throws -> [LedgerSum] {
        try await pool.query(
            """
            SELECT kind, output, app, environment, reason, count(*) AS count, min(at) AS first, max(at) AS last
            FROM (SELECT DISTINCT kind, output, app, environment, reason, at, ref, recipient FROM martlet.ledger
                WHERE job = $1) AS told
            GROUP BY kind, output, app, environment, reason ORDER BY count(*) DESC, kind, reason
            """, [.text(job)]
        ).map { row in
            LedgerSum(
                kind: try row["kind"].text, output: try row["output"].optional?.text,
                app: try row["app"].optional?.text, environment: try row["environment"].optional?.text,
                reason: try row["reason"].optional?.text, count: try row["count"].integer,
                first: Timestamp(milliseconds: try row["first"].milliseconds),
                last: Timestamp(milliseconds: try row["last"].milliseconds))
        }
    }
}

/// The point in time at which the outcome ledger begins.
package struct LedgerBegin: Sendable, Hashable {
    /// The time at which the first row was written, or `nil` if there are no rows yet.
    package let first: Timestamp?

    package init(first: Timestamp?) { self.first = first }
}

/// The number of a job's outcomes with the same kind, output, app, environment and reason.
package struct LedgerSum: Sendable, Hashable {
    package let kind: String
    package let output, app, environment: String?
    package let reason: String?
    package let count: Int
    package let first, last: Timestamp

    package init(
        kind: String, output: String?, app: String?, environment: String?, reason: String?, count: Int,
        first: Timestamp, last: Timestamp
    ) {
        self.kind = kind
        self.output = output
        self.app = app
        self.environment = environment
        self.reason = reason
        self.count = count
        self.first = first
        self.last = last
    }
}

extension LedgerRow {
    fileprivate init(_ row: PostgresRow, of job: String) throws {
        self.init(
            at: Timestamp(milliseconds: try row["at"].milliseconds), kind: try row["kind"].text, job: job)
        output = try row["output"].optional?.text
        app = try row["app"].optional?.text
        environment = try row["environment"].optional?.text
        ref = try row["ref"].optional?.text
        recipient = try row["recipient"].optional?.bytes
        status = try row["status"].optional?.integer
        reason = try row["reason"].optional?.text
        detail = try row["detail"].optional?.text
        providerID = try row["provider_id"].optional?.text
        attempts = try row["attempts"].integer
        isRedelivered = try row["redelivered"].bool
        worker = try row["worker"].optional?.text
    }
}
