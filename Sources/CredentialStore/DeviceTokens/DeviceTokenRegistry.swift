public import PostgresClient
public import PushModel

/// The truth about dead tokens: `martlet.device_tokens`.
///
/// A token is dead when the newest mark is later than the newest registration. Registrations and marks may
/// come in any order, twice, and from many workers at once: the result is the same.
public struct DeviceTokenRegistry: Sendable {
    private let pool: PostgresPool

    public init(_ pool: PostgresPool) {
        self.pool = pool
    }

    /// Marks tokens dead, except where they were registered at or after the mark's time.
    /// - Returns: how many rows were changed.
    @discardableResult
    public func mark(_ marks: [TokenMark]) async throws -> Int {
        try await write(
            marks.map { mark in
                Change(
                    key: mark.key, registeredAt: mark.registeredAt, unregisteredAt: mark.unregisteredAt,
                    reason: mark.reason)
            })
    }

    /// Notes registrations; a token that was marked before its registration lives again.
    /// - Returns: how many rows were changed.
    @discardableResult
    public func register(_ registrations: [TokenRegistration]) async throws -> Int {
        try await write(
            registrations.map { registration in
                Change(key: registration.key, registeredAt: registration.registeredAt, unregisteredAt: nil, reason: nil)
            })
    }

    /// What is known of a token, for every app that there is.
    public func show(token: String, output: String = "apns") async throws -> [DeviceToken] {
        let key = DeviceTokenKey(output: output, app: "", environment: .production, token: token)
        return try await pool.query(
            """
            SELECT \(Self.columns) FROM martlet.device_tokens
            WHERE output = $1 AND token = $2 AND app = ANY (ARRAY(SELECT bundle_id FROM martlet.apps))
                AND environment = ANY (enum_range(NULL::martlet.environment))
            ORDER BY app, environment
            """, [.text(key.output), .text(key.token)]
        ).map(Self.deviceToken)
    }

    /// Removes all that is known of a token.
    /// - Returns: whether there was anything.
    public func forget(_ key: DeviceTokenKey) async throws -> Bool {
        try await pool.query(
            """
            DELETE FROM martlet.device_tokens
            WHERE output = $1 AND app = $2 AND environment = $3 AND token = $4
            """,
            [.text(key.output), .text(key.app), .text(key.environment.rawValue), .text(key.token)]
        ).affectedRows > 0
    }

    /// Hands out the tokens that were marked at or after a time and are still dead, the oldest mark first.
    ///
    /// A mark is written a moment before its transaction commits: who asks again and again should overlap
    /// by a minute.
    public func deadTokens(
        since time: Timestamp, pageSize: Int = 10_000, _ page: ([DeviceToken]) async throws -> Void
    ) async throws {
        try await pool.transaction { connection in
            try await connection.query(
                """
                DECLARE dead NO SCROLL CURSOR FOR SELECT \(Self.columns) FROM martlet.device_tokens
                WHERE unregistered_at IS NOT NULL AND marked_at >= $1 ORDER BY marked_at
                """, [.timestamp(milliseconds: time.milliseconds)])
            while true {
                let rows = try await connection.query("FETCH FORWARD \(max(pageSize, 1)) FROM dead").map(
                    Self.deviceToken)
                if rows.isEmpty { return }
                try await page(rows)
            }
        }
    }

    // MARK: writing

    private struct Change {
        let key: DeviceTokenKey
        let registeredAt: Timestamp?
        let unregisteredAt: Timestamp?
        let reason: String?
    }

    /// Rows per statement: enough to make the round trip cheap, few enough to keep locks short.
    private static let chunkSize = 5_000

    private func write(_ changes: [Change]) async throws -> Int {
        var changed = 0
        for start in stride(from: 0, to: changes.count, by: Self.chunkSize) {
            let chunk = changes[start..<min(start + Self.chunkSize, changes.count)]
            changed += try await pool.query(
                Self.upsert,
                [
                    .textArray(chunk.map(\.key.output)), .textArray(chunk.map(\.key.app)),
                    .textArray(chunk.map(\.key.environment.rawValue)), .textArray(chunk.map(\.key.token)),
                    .timestampArray(milliseconds: chunk.map { $0.registeredAt?.milliseconds }),
                    .timestampArray(milliseconds: chunk.map { $0.unregisteredAt?.milliseconds }),
                    .textArray(chunk.map(\.reason)),
                ]
            ).affectedRows
        }
        return changed
    }

    /// Keeps the latest registration, and the latest mark where that is later still. Rows are taken in key
    /// order, so that two workers that mark the same tokens can't lock each other out.
    private static let upsert = """
        INSERT INTO martlet.device_tokens AS old
            (output, app, environment, token, registered_at, unregistered_at, marked_at, reason)
        SELECT output, app, environment, token, registered,
            CASE WHEN is_dead THEN unregistered END,
            CASE WHEN is_dead THEN clock_timestamp() END,
            CASE WHEN is_dead THEN reason END
        FROM (
            SELECT output, app, environment, token, max(registered) AS registered, max(unregistered) AS unregistered,
                coalesce(max(unregistered) > coalesce(max(registered), '-infinity'), false) AS is_dead,
                (array_agg(reason ORDER BY unregistered DESC NULLS LAST))[1] AS reason
            FROM unnest($1::text[], $2::text[], $3::text[]::martlet.environment[], $4::text[],
                    $5::timestamptz[], $6::timestamptz[], $7::text[])
                AS change (output, app, environment, token, registered, unregistered, reason)
            GROUP BY output, app, environment, token
            ORDER BY output COLLATE "C", app COLLATE "C", environment, token COLLATE "C"
        ) AS changes
        ON CONFLICT (output, app, environment, token) DO UPDATE SET
            (registered_at, unregistered_at, marked_at, reason) = (
                SELECT registered, CASE WHEN is_dead THEN unregistered END,
                    CASE WHEN is_dead THEN coalesce(old.marked_at, excluded.marked_at) END,
                    CASE WHEN is_dead THEN latest_reason END
                FROM (
                    SELECT greatest(old.registered_at, excluded.registered_at) AS registered,
                        greatest(old.unregistered_at, excluded.unregistered_at) AS unregistered,
                        greatest(old.unregistered_at, excluded.unregistered_at)
                            > coalesce(greatest(old.registered_at, excluded.registered_at), '-infinity') AS is_dead,
                        CASE WHEN excluded.unregistered_at > coalesce(old.unregistered_at, '-infinity')
                            THEN excluded.reason ELSE old.reason END AS latest_reason
                ) AS merged)
        WHERE excluded.registered_at > coalesce(old.registered_at, '-infinity')
            OR excluded.unregistered_at > coalesce(greatest(old.unregistered_at, old.registered_at), '-infinity')
        """

    // MARK: reading

    private static let columns =
        "output, app, environment::text, token, registered_at, unregistered_at, marked_at, reason"

    private static func deviceToken(_ row: PostgresRow) throws -> DeviceToken {
        func time(_ column: String) throws -> Timestamp? {
            try row[column].optional.map { Timestamp(milliseconds: try $0.milliseconds) }
        }
        return DeviceToken(
            key: DeviceTokenKey(
                output: try row["output"].text, app: try row["app"].text,
                environment: try PushEnvironment(column: row["environment"].text), token: try row["token"].text),
            registeredAt: try time("registered_at"), unregisteredAt: try time("unregistered_at"),
            markedAt: try time("marked_at"), reason: try row["reason"].optional?.text)
    }
}
