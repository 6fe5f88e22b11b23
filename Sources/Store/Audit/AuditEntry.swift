package import PushModel

/// A row of `martlet.audit`, which records one change.
package struct AuditEntry: Sendable, Hashable {
    /// The values of a column before and after a change. Both are `nil` for a secret, because the audit never records
    /// secrets.
    package struct Change: Sendable, Hashable {
        package let column: String
        package let old: String?
        package let new: String?

        package init(column: String, old: String?, new: String?) {
            self.column = column
            self.old = old
            self.new = new
        }
    }

    package let at: Timestamp
    /// The database role that made the connection.
    package let role: String
    /// The role that the session had assumed with `SET ROLE`, or `nil` if it had assumed none.
    package let setRole: String?
    /// The `application_name` of the connection.
    package let application: String
    /// The client's address, or `nil` for a Unix socket.
    package let address: String?
    /// The operation, which is `insert`, `update`, `delete` or `truncate`.
    package let operation: String
    /// The name of the changed table without its schema, for example `apps` or `credentials`.
    package let table: String
    /// The key of the changed row, such as the app's bundle id or the credential's id, or `nil` for `truncate`.
    package let object: String?
    /// The changes, sorted by column.
    package internal(set) var changes: [Change] = []
}
