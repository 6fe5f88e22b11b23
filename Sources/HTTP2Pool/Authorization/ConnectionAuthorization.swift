package import HTTP2Session

/// The authorization of requests on one connection. Each connection has its own value, which is used on its event loop.
package protocol ConnectionAuthorization {
    /// The maximum number of open streams until the first answer, or `nil` for as many as the server allows.
    var streamsUntilProven: Int? { get }

    /// Returns the fields that all requests of this connection currently share: `:method`, `:scheme`, `:authority` and
    /// the credentials. Returns the same object until they change.
    ///
    /// Called once per turn in which requests wait.
    ///
    /// - Returns: The fields, or `nil` if nothing may be sent now. The component that can change this must wake the
    ///   pool.
    /// - Throws: An error if the credentials cannot be put into header fields. The connection is then unusable.
    mutating func fields() throws -> HTTP2Fields?

    /// Records that requests with these fields have left.
    mutating func used()

    /// Records that the server called the credentials in these fields expired.
    func expired()

    /// Fetches what will be needed next. Called once a second on a connection in use.
    func lookAhead()
}
