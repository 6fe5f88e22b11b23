public import PushModel

/// A row of `martlet.audit`, which records one change.
public struct AuditEntry: Sendable, Hashable {
    /// The values of a column before and after a change. Both are `nil` for a secret, because the audit never records
    /// secrets.
    public struct Change: Sendable, Hashable {
        public let column: String
        public let old: String?
        public let new: String?

        package init(column: String, old: String?, new: String?) {
            self.column = column
            self.old = old
            self.new = new
        }
    }

    public let at: Timestamp
    /// The database role that made the connection.
    public let role: String
    /// The role that the session had assumed with `SET ROLE`, or `nil` if it had assumed none.
    public let setRole: String?
    /// The `application_name` of the connection.
    public let application: String
    /// The client's address, or `nil` for a Unix socket.
    public let address: String?
    /// The operation, which is `insert`, `update`, `delete` or `truncate`.
    public let operation: String
    /// The name of the changed table without its schema, for example `apps` or `credentials`.
    public let table: String
    /// The key of the changed row, such as the app's bundle id or the credential's id, or `nil` for `truncate`.
    public let object: String?
    /// The changes, sorted by column.
    public internal(set) var changes: [Change] = []
}
