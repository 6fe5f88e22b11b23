/// What went wrong between us and PostgreSQL. Never holds a password or a parameter's value of ours.
public struct PostgresError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Who found the fault, and at which stage.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        /// The connection URL can't be used.
        public static let configuration = Code(description: "configuration")
        /// No connection could be made: server away, wrong password, TLS refused.
        public static let connectFailed = Code(description: "connect failed")
        /// The connection ended under a request: whether the server carried it out is unknown.
        public static let connectionLost = Code(description: "connection lost")
        /// The connection or the pool was closed by its owner.
        public static let closed = Code(description: "closed")
        /// No answer within the query timeout: whether the server carried the request out is unknown.
        public static let timedOut = Code(description: "timed out")
        /// The task was cancelled; callers get a `CancellationError`.
        static let cancelled = Code(description: "cancelled")
        /// No connection of the pool became free within the lease timeout.
        public static let poolExhausted = Code(description: "pool exhausted")
        /// The server refused a statement; ``PostgresError/sqlState`` says why.
        public static let server = Code(description: "server error")
        /// A statement or parameter that can't be sent.
        public static let unsendable = Code(description: "unsendable")
        /// A result that is not what the caller asked for.
        public static let unexpectedResult = Code(description: "unexpected result")
    }

    public var code: Code
    public var message: String
    /// Five characters, PostgreSQL manual, appendix A; nil where the server said nothing.
    public var sqlState: String?
    /// `ERROR`, `FATAL` or `PANIC`.
    public var severity: String?
    public var detail: String?
    public var hint: String?
    /// The constraint that was violated.
    public var constraint: String?
    /// In a batch, the index of the statement that was refused.
    public var statementIndex: Int?

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Whether the same request may succeed later without anybody changing it: the connection was lost or
    /// refused (class 08, 57P01 to 57P03), the time was over (57014), another transaction was in the way (40001, 40P01, 55P03),
    /// or the server has become a standby (25006), so that another connection may lead to the primary.
    ///
    /// Repeating is safe only for requests that may be carried out twice.
    public var isRetriable: Bool {
        switch code {
        case .connectionLost, .connectFailed, .timedOut, .poolExhausted: return true
        default: break
        }
        guard let sqlState else { return false }
        return sqlState.hasPrefix("08")
            || ["57P01", "57P02", "57P03", "57014", "40001", "40P01", "55P03", "25006"].contains(sqlState)
    }

    /// The server does not let this user in (class 28), which no other attempt mends: somebody has to.
    public var isLoginRefused: Bool { sqlState?.hasPrefix("28") == true }

    /// There was too little time, by our clock or by the server's.
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
