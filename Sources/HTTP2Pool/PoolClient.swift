package import HTTP2Session

/// Whom a pool sends for: it has the requests, and takes what becomes of them. Called on the pool's event loop only;
/// `now` is milliseconds of ``Uptime``.
///
/// Requests are known by a tag, a number of the client's own choosing; each that ``next(onlyUrgent:now:)`` has given ends
/// in exactly one of ``answered(_:_:now:)``, ``unprocessed(_:_:now:)`` and ``lost(_:_:now:)``.
package protocol PoolClient: AnyObject {
    /// How many requests wait.
    var waiting: Int { get }

    /// A turn begins: what has come from other threads can be taken in.
    func turnBegins(now: Int64)

    /// The next request for the wire; nil: there is none, or none that is urgent.
    func next(onlyUrgent: Bool, now: Int64) -> PoolRequest?

    /// All connections have got what they have room for.
    ///
    /// - Parameter isUsable: one at least is open and authorized.
    func filled(isUsable: Bool, now: Int64)

    /// The turn is over: what has gathered can be told.
    func turnEnds()

    /// One header field of an answer.
    func answerField(_ tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)

    /// The answer is whole.
    ///
    /// - Returns: what it says about the connection.
    func answered(_ tag: Int, _ answer: PoolAnswer, now: Int64) -> ConnectionVerdict

    /// Certainly not processed: may be sent again at once.
    ///
    /// - Parameter loss: what ended it; nil: the server refused it, or it never left.
    func unprocessed(_ tag: Int, _ loss: RequestLoss?, now: Int64)

    /// May have been processed.
    func lost(_ tag: Int, _ loss: RequestLoss, now: Int64)

    /// The server wants a connection closed.
    ///
    /// - Parameter debugData: what its GOAWAY says besides (RFC 9113, section 6.8).
    /// - Returns: the same in words, for the log.
    func goAway(debugData: [UInt8], now: Int64) -> String?

    /// A connection could not be made, or the server has refused our certificate before a request left on it.
    ///
    /// - Parameter isLast: there is no other, neither open nor on its way.
    func connectFailed(_ error: any Error, isLast: Bool, now: Int64)

    /// Once a second.
    func tick(now: Int64)
}

/// One request of a pool's client.
package struct PoolRequest {
    package let tag: Int
    /// Of `:path`; read before the client is called again.
    package let path: UnsafeRawBufferPointer
    /// Those that are not the connection's.
    package let fields: HTTP2Fields
    package let body: HTTP2Body

    package init(tag: Int, path: UnsafeRawBufferPointer, fields: HTTP2Fields, body: HTTP2Body) {
        self.tag = tag
        self.path = path
        self.fields = fields
        self.body = body
    }
}

/// What a server answered.
package struct PoolAnswer {
    package let status: Int
    /// Empty when it was longer than the configuration allows.
    package let body: [UInt8]
    package let isTooLong: Bool
    /// Since the request was put on the wire.
    package let milliseconds: Int64
}

/// What an answer says about the connection it came on.
package enum ConnectionVerdict: Sendable {
    /// It is of use.
    case keep
    /// It is of no more use, and another takes its place: at once if it has been of use, else after a back-off.
    case replace
    /// The same, because what its requests prove who we are with has expired.
    case replaceExpired
}

/// Why there is no answer to a request.
package enum RequestLoss: Sendable {
    case timeout
    case streamReset(HTTP2ErrorCode)
    /// nil: closed without a word.
    case connectionLost((any Error)?)
}
