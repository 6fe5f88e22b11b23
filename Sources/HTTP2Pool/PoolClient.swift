/// Whom a pool sends for: it has the requests, and takes what becomes of them. Called on the pool's event loop only;
/// `now` is milliseconds of ``Uptime``.
///
/// Requests are known by a tag, a number of the client's own choosing; each that ``next(onlyUrgent:now:)`` has given
/// ends in exactly one of ``answered(_:_:now:)``, ``unprocessed(_:_:now:)`` and ``lost(_:_:now:)``.
package protocol PoolClient: AnyObject {
    /// How many requests wait that could go now.
    var waiting: Int { get }

    /// None waits, not even for its time; by default as ``waiting`` says.
    var isEmpty: Bool { get }

    /// A turn begins: what has come from other threads can be taken in.
    func turnBegins(now: Int64)

    /// It has had enough of this turn: what waits, waits for the next one, and for no connection.
    var yieldsTurn: Bool { get }

    /// The next request for the wire; nil: there is none, or none that is urgent.
    func next(onlyUrgent: Bool, now: Int64) -> PoolRequest?

    /// All connections have got what they have room for.
    ///
    /// - Parameter isUsable: one at least is open and authorized.
    func filled(isUsable: Bool, now: Int64)

    /// Something waits, and other pools have all the connections that there may be; so until ``filled(isUsable:now:)``
    /// says otherwise.
    func crowdedOut(now: Int64)

    /// The turn is over: what has gathered can be told.
    func turnEnds()

    /// One header field of an answer.
    func answerField(_ tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)

    /// The answer is whole; or it says that the request was accepted, and the rest of it is missing.
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

extension PoolClient {
    package var yieldsTurn: Bool { false }
    package func crowdedOut(now: Int64) {}
}

extension PoolClient {
    package var isEmpty: Bool { waiting == 0 }
}
