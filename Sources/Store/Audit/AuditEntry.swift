public import PushModel

/// One change of an app or a credential: a row of `martlet.audit`.
public struct AuditEntry: Sendable, Hashable {
    /// A column before and after; both nil for what is never written down, which is a secret.
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
    /// The database role that logged in.
    public let role: String
    /// The role that it had put on with SET ROLE.
    public let setRole: String?
    /// What the connection called itself.
    public let application: String
    /// Where it came from; nil for a Unix socket.
    public let address: String?
    /// `insert`, `update`, `delete` or `truncate`.
    public let operation: String
    /// `apps` or `credentials`.
    public let table: String
    /// The app's bundle id or the credential's id; nil for `truncate`.
    public let object: String?
    /// By column.
    public internal(set) var changes: [Change] = []
}
