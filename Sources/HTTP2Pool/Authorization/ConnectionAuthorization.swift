package import HTTP2Session

/// How the requests of one connection are authorized. A value of that connection, asked on its event loop.
package protocol ConnectionAuthorization {
    /// Streams that may be open until the first answer has come; nil: as many as the server allows.
    var streamsUntilProven: Int? { get }

    /// What the requests of this connection have in common at this time: `:method`, `:scheme`, `:authority`, and
    /// whatever proves who we are. The same object for as long as it is the same.
    ///
    /// Asked once a turn in which something waits.
    ///
    /// - Returns: nil: nothing may be sent now. Who can change that wakes the pool.
    /// - Throws: when it can't be put into header fields: the connection is of no use.
    mutating func fields() throws -> HTTP2Fields?

    /// Requests have left with these fields.
    mutating func used()

    /// The server called what these fields prove expired.
    func expired()

    /// Once a second on a connection in use: time to fetch what is needed next.
    func lookAhead()
}
