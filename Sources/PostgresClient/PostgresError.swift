/// An error between this client and PostgreSQL. This client never adds a password or a parameter's value to it.
public struct PostgresError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure: the party that found the fault, and the stage at which it occurred.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        /// The connection URL can't be used.
        public static let configuration = Code(description: "configuration")
        /// No connection could be made, because the server is down, the password is wrong, or TLS is refused.
        public static let connectFailed = Code(description: "connection failed")
        /// The connection ended during a request. The server may or may not have carried out the request.
        public static let connectionLost = Code(description: "connection lost")
        /// The connection or the pool was closed by its owner.
        public static let closed = Code(description: "closed")
        /// No answer arrived within the query timeout. The server may or may not have carried out the request.
        public static let timedOut = Code(description: "timed out")
        /// The task was cancelled. Callers get a `CancellationError`.
        static let cancelled = Code(description: "cancelled")
        /// No connection of the pool became free within the lease timeout.
        public static let poolExhausted = Code(description: "pool exhausted")
        /// The server refused a statement. ``PostgresError/sqlState`` contains the reason.
        public static let server = Code(description: "server error")
        /// A statement or parameter can't be sent.
        public static let unsendable = Code(description: "unsendable")
        /// The result does not match the caller's request.
        public static let unexpectedResult = Code(description: "unexpected result")
    }

    public var code: Code
    public var message: String
    /// The five characters of the SQLSTATE (PostgreSQL manual, appendix A), or `nil` if the server sent none.
    public var sqlState: String?
    /// The severity (`ERROR`, `FATAL` or `PANIC`), or `nil` if the server sent none.
    public var severity: String?
    public var detail: String?
    public var hint: String?
    /// The name of the constraint that was violated, or `nil` if there is none.
    public var constraint: String?
    /// The index of the refused statement in a batch, from 0, or `nil` for other errors.
    public var statementIndex: Int?

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Whether the same request may succeed later without a change to it.
    ///
    /// | reason | SQLSTATE |
    /// |---|---|
    /// | the connection was lost or refused | class 08, 57P01 to 57P03 |
    /// | the time limit has passed | 57014 |
    /// | another transaction was in the way | 40001, 40P01, 55P03 |
    /// | the server has become a standby; another connection may lead to the primary | 25006 |
    ///
    /// A retry is safe only if the request may be carried out twice.
    public var isRetriable: Bool {
        switch code {
        case .connectionLost, .connectFailed, .timedOut, .poolExhausted: return true
        default: break
        }
        guard let sqlState else { return false }
        return sqlState.hasPrefix("08")
            || ["57P01", "57P02", "57P03", "57014", "40001", "40P01", "55P03", "25006"].contains(sqlState)
    }

    /// Whether the server refuses the log-in of this user (class 28). A retry fails until an operator has corrected the
    /// cause.
    public var isLoginRefused: Bool { sqlState?.hasPrefix("28") == true }

    /// Whether the time limit of this client or of the server has passed.
    public var isTimeout: Bool { code == .timedOut || sqlState == "57014" }

    public var description: String {
        var text = message
        if let sqlState { text += " (SQLSTATE \(sqlState))" }
        if let detail { text += ", \(detail)" }
        if let hint { text += ", hint: \(hint)" }
        if let statementIndex { text += ", statement \(statementIndex) of the batch" }
        return text
    }
}
