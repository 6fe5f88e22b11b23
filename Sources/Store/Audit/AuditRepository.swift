package import PostgresClient
package import PushModel

/// The audit of changes, stored in `martlet.audit`. Triggers write it, so this type only reads it.
package struct AuditRepository: Sendable {
    /// The entries to list: those since a time, or all entries if the time is `nil`. If `app` or `credential` is set,
    /// an entry must concern that app or that credential.
    package struct Filter: Sendable {
        package var since: Timestamp?
        package var app: String?
        package var credential: Credential.ID?

        package init(since: Timestamp? = nil, app: String? = nil, credential: Credential.ID? = nil) {
            self.since = since
            self.app = app
            self.credential = credential
        }
    }

    private let pool: PostgresPool

    package init(_ pool: PostgresPool) {
        self.pool = pool
    }

    /// Returns the newest entries, most recent first.
    /// - Parameter limit: the maximum number of entries.
    /// - Throws: ``PostgresError``.
    package func list(_ filter: Filter = Filter(), limit: Int) async throws -> [AuditEntry] {
        let rows = try await pool.query(
            """
            SELECT entry.id, at, session_role, set_role, application, host(address) AS address, operation, object,
                object_id, name, old_row ->> name AS old_value, new_row ->> name AS new_value
            FROM (
                SELECT * FROM martlet.audit
                WHERE ($1::timestamptz IS NULL OR at >= $1) AND (
                    ($2::text IS NULL AND $3::text IS NULL)
                    OR (object IN ('apps', 'app_accounts') AND object_id = $2) OR (object = 'credentials' AND object_id = $3))
                ORDER BY id DESC LIMIT $4
            ) AS entry LEFT JOIN LATERAL unnest(changed) AS name ON true
            ORDER BY entry.id DESC, name
            """,
            [
                .timestamp(milliseconds: filter.since?.milliseconds), .text(filter.app), .text(filter.credential),
                .bigint(Int64(limit)),
            ])
        var entries: [AuditEntry] = []
        var last: Int?
        for row in rows {
            let id = try row["id"].integer
            if id != last { entries.append(try Self.entry(row)) }
            last = id
            guard let column = try row["name"].optional?.text else { continue }
            entries[entries.endIndex - 1].changes.append(
                AuditEntry.Change(
                    column: column, old: try row["old_value"].optional?.text, new: try row["new_value"].optional?.text))
        }
        return entries
    }

    /// Returns each paused app with the time of the pause and the role that paused it. Workers may also call this
    /// function.
    ///
    /// - Parameter timeout: the timeout of the query, or `nil` for the pool's timeout.
    /// - Throws: ``PostgresError``.
    package func pauses(timeout: Duration? = nil) async throws -> [AppPause] {
        try await pool.query("SELECT * FROM martlet.paused_apps()", timeout: timeout).map { row in
            AppPause(
                app: try row["bundle_id"].text,
                since: try row["paused_at"].optional.map { Timestamp(milliseconds: try $0.milliseconds) },
                by: try row["paused_by"].optional?.text)
        }
    }

    private static func entry(_ row: PostgresRow) throws -> AuditEntry {
        AuditEntry(
            at: Timestamp(milliseconds: try row["at"].milliseconds), role: try row["session_role"].text,
            setRole: try row["set_role"].optional?.text, application: try row["application"].text,
            address: try row["address"].optional?.text, operation: try row["operation"].text,
            table: try row["object"].text, object: try row["object_id"].optional?.text)
    }
}
