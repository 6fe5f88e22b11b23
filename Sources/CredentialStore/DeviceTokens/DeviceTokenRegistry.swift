public import PostgresClient
import PushModel

/// The truth about dead tokens: `martlet.device_tokens`.
///
/// A token is dead when the newest mark is later than the newest registration. Registrations and marks may
/// come in any order, twice, and from many workers at once: the result is the same.
public struct DeviceTokenRegistry: Sendable {
    let pool: PostgresPool

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

    /// Removes some of an app's tokens, of both environments: call it until it answers 0.
    /// - Returns: how many were removed.
    public func forgetSome(app: String, output: String, atMost limit: Int = 10_000) async throws -> Int {
        try await pool.query(
            """
            DELETE FROM martlet.device_tokens AS gone USING (
                SELECT output, app, environment, token FROM martlet.device_tokens
                WHERE output = $1 AND app = $2 LIMIT $3) AS picked
            WHERE (gone.output, gone.app, gone.environment, gone.token)
                = (picked.output, picked.app, picked.environment, picked.token)
            """, [.text(output), .text(app), .bigint(Int64(limit))]
        ).affectedRows
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
            CASE WHEN is_dead THEN date_trunc('milliseconds', clock_timestamp()) END,
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
}
