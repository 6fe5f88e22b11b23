/// An error that this client or PostgreSQL reports. This client adds neither a password nor a parameter's value to it,
/// except a time that is out of range.
package struct PostgresError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        package let description: String

        /// The connection URL can't be used.
        package static let configuration = Code(description: "configuration")
        /// No connection could be made, for example because the server is down or the password is wrong.
        package static let connectFailed = Code(description: "connect failed")
        /// The connection ended before a request was answered. The server may or may not have carried out the request.
        package static let connectionLost = Code(description: "connection lost")
        /// The connection or the pool was closed by its owner.
        package static let closed = Code(description: "closed")
        /// No answer arrived within the query timeout. The server may or may not have carried out the request.
        package static let timedOut = Code(description: "timed out")
        /// The task was cancelled. Callers get a `CancellationError`.
        static let cancelled = Code(description: "cancelled")
        /// No connection of the pool became free within the lease timeout.
        package static let poolExhausted = Code(description: "pool exhausted")
        /// The server refused a statement. ``PostgresError/sqlState`` contains the reason.
        package static let server = Code(description: "server error")
        /// A statement or parameter can't be sent.
        package static let unsendable = Code(description: "unsendable")
        /// The result does not match the caller's request.
        package static let unexpectedResult = Code(description: "unexpected result")
    }

    package var code: Code
    package var message: String
    /// The five characters of the SQLSTATE (PostgreSQL manual, appendix A), or `nil` if the server sent none.
    package var sqlState: String?
    /// The severity (`ERROR`, `FATAL` or `PANIC`), or `nil` if the server sent none.
    package var severity: String?
    package var detail: String?
    package var hint: String?
    /// The name of the constraint that was violated, or `nil` if there is none.
    package var constraint: String?
    /// The index of the refused statement in a batch, from 0, or `nil` for other errors.
    package var statementIndex: Int?

    package init(_ code: Code, _ message: String) {
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
    package var isRetriable: Bool {
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
    package var isLoginRefused: Bool { sqlState?.hasPrefix("28") == true }

    /// Whether the time limit of this client or of the server has passed.
    package var isTimeout: Bool { code == .timedOut || sqlState == "57014" }

    package var description: String {
        var text = message
        if let sqlState { text += " (SQLSTATE \(sqlState))" }
        if let detail { text += ", \(detail)" }
        if let hint { text += ", hint: \(hint)" }
        if let statementIndex { text += ", statement \(statementIndex) of the batch" }
        return text
    }
}
