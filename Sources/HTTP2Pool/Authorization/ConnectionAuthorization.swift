package import HTTP2Session

/// The authorization of requests on one connection. Each connection has its own value, which is used only on the
/// connection's event loop.
package protocol ConnectionAuthorization {
    /// The maximum number of open streams until the first answer, or `nil` to apply only the server's limit.
    var streamsUntilProven: Int? { get }

    /// Returns the fields that all requests of this connection currently share: `:method`, `:scheme`, `:authority` and
    /// the credentials. Returns the same object until they change.
    ///
    /// The pool calls this once in each turn in which requests wait.
    ///
    /// - Returns: The fields, or `nil` if nothing may be sent now. Once the fields are available, the implementation
    ///   must wake the pool.
    /// - Throws: An error if the credentials cannot be put into header fields. The connection is then unusable.
    mutating func fields() throws -> HTTP2Fields?

    /// Records that requests with the current fields were sent.
    mutating func used()

    /// Records that the server rejected the credentials in the current fields as expired.
    func expired()

    /// Prepares credentials that will be needed soon. Called once a second if the connection was used within the last
    /// minute.
    func lookAhead()
}
