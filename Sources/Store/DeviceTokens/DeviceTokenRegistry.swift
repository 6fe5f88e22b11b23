import Foundations
package import Logging
package import PostgresClient
import PushModel

/// The registry of device tokens, stored in `martlet.device_tokens`.
///
/// A token is dead if its latest time of death is after its latest registration. The result does not depend on the
/// order in which registrations and marks arrive, on repetitions, or on the number of workers that write them.
package struct DeviceTokenRegistry: Sendable {
    let pool: PostgresPool
    private let logger: Logger?

    /// Creates a registry.
    /// - Parameter logger: the logger for marks that can't be written.
    package init(_ pool: PostgresPool, logger: Logger? = nil) {
        self.pool = pool
        self.logger = logger
    }

    /// Marks tokens as dead, except tokens that were registered at or after their time of death.
    ///
    /// If the database can never accept a mark, the mark is logged and left out, so that it does not block the other
    /// marks.
    ///
    /// - Returns: the number of changed rows.
    @discardableResult
    package func mark(_ marks: [TokenMark]) async throws -> Int {
        let changes = marks.map { mark in
            Change(
                key: mark.key, registeredAt: mark.registeredAt, unregisteredAt: mark.unregisteredAt,
                reason: Self.storable(mark.reason))
        }
        do {
            return try await write(changes)
        } catch let error as PostgresError where error.isOfContents {
            guard marks.count > 1 else {
                if let key = marks.first?.key {
                    logger?.error(
                        .markImpossible, "A dead token cannot be marked",
                        metadata: [
                            "app": "\(key.app)", "output": "\(key.output)",
                            "environment": "\(key.environment.rawValue)", "error": "\(error)",
                        ])
                }
                return 0
            }
            let half = marks.count / 2
            return try await mark(Array(marks[..<half])) + mark(Array(marks[half...]))
        }
    }

    /// Records registrations. A dead token becomes valid again if it was registered at or after its time of death.
    /// - Returns: the number of changed rows.
    @discardableResult
    package func register(_ registrations: [TokenRegistration]) async throws -> Int {
        try await write(
            registrations.map { registration in
                Change(key: registration.key, registeredAt: registration.registeredAt, unregisteredAt: nil, reason: nil)
            })
    }

    /// Deletes the record of a token.
    /// - Returns: whether there was a record.
    package func forget(_ key: DeviceTokenKey) async throws -> Bool {
        try await pool.query(
            """
            DELETE FROM martlet.device_tokens
            WHERE output = $1 AND app = $2 AND environment = $3 AND token = $4
            """,
            [.text(key.output), .text(key.app), .text(key.environment.rawValue), .text(key.filed.token)]
        ).affectedRows > 0
    }

    /// Deletes up to `limit` records of an app's tokens, in both environments. To delete all records, repeat the call
    /// until it returns 0.
    ///
    /// The statement selects rows in any order, but locks them in key order. Marks and registrations use the same
    /// order, so these statements never deadlock.
    ///
    /// - Returns: the number of deleted records.
    package func forgetSome(app: String, output: String, atMost limit: Int = 10_000) async throws -> Int {
        try await pool.query(
            """
            WITH picked AS MATERIALIZED (
                SELECT output, app, environment, token FROM martlet.device_tokens
                WHERE output = $1 AND app = $2 LIMIT $3),
            locked AS MATERIALIZED (
                SELECT tokens.output, tokens.app, tokens.environment, tokens.token
                FROM picked JOIN martlet.device_tokens AS tokens USING (output, app, environment, token)
                ORDER BY tokens.environment, tokens.token FOR UPDATE OF tokens)
            DELETE FROM martlet.device_tokens AS gone USING locked
            WHERE (gone.output, gone.app, gone.environment, gone.token)
                = (locked.output, locked.app, locked.environment, locked.token)
            """, [.text(output), .text(app), .bigint(Int64(limit))]
        ).affectedRows
    }

    // MARK: Writing

    /// Returns a provider's reason in the form that is stored: at most 200 characters, and without U+0000, which
    /// PostgreSQL can't store.
    private static func storable(_ reason: String) -> String {
        String(reason.prefix(200)).replacing("\0", with: "\u{FFFD}")
    }

    private struct Change {
        let key: DeviceTokenKey
        let registeredAt: Timestamp?
        let unregisteredAt: Timestamp?
        let reason: String?
    }

    /// The maximum number of rows per statement. It is large enough to make the round trip cheap, and small enough to
    /// keep locks short.
    private static let chunkSize = 5_000

    private func write(_ changes: [Change]) async throws -> Int {
        var changed = 0
        for start in stride(from: 0, to: changes.count, by: Self.chunkSize) {
            let chunk = changes[start..<min(start + Self.chunkSize, changes.count)]
            let filed = chunk.map(\.key.filed)
            changed += try await pool.query(
                DeviceTokenSQL.upsert,
                [
                    .textArray(chunk.map(\.key.output)), .textArray(chunk.map(\.key.app)),
                    .textArray(chunk.map(\.key.environment.rawValue)), .textArray(filed.map(\.token)),
                    .textArray(filed.map(\.address)),
                    .timestampArray(milliseconds: chunk.map { $0.registeredAt?.milliseconds }),
                    .timestampArray(milliseconds: chunk.map { $0.unregisteredAt?.milliseconds }),
                    .textArray(chunk.map(\.reason)),
                ]
            ).affectedRows
        }
        return changed
    }
}

extension PostgresError {
    /// Whether a value in the statement causes the error, so that a retry would also fail. Either the value can't be
    /// sent, or the server rejects it (SQLSTATE classes 22 and 23, and 54 for a value that is too large for an index).
    fileprivate var isOfContents: Bool {
        code == .unsendable || ["22", "23", "54"].contains(sqlState?.prefix(2))
    }
}
