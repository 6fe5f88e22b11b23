/// The client of a pool, which supplies the requests and receives their results. All calls are on the pool's event
/// loop. `now` is in milliseconds of ``Uptime``.
///
/// A tag, chosen by the client, identifies each request. Each request that ``next(onlyUrgent:now:)`` returns ends in
/// exactly one of ``answered(_:_:now:)``, ``unprocessed(_:_:now:)`` and ``lost(_:_:now:)``.
package protocol PoolClient: AnyObject {
    /// The number of waiting requests that may be sent now.
    var waiting: Int { get }

    /// Whether the client has no requests to send, now or later. The default is `waiting == 0`.
    var isEmpty: Bool { get }

    /// Called when a turn begins. The client can then take in work from other threads.
    func turnBegins(now: Int64)

    /// Whether the client has supplied enough requests in this turn. Its other requests then wait for the next turn,
    /// and no connection is opened for them.
    var yieldsTurn: Bool { get }

    /// Returns the next request to send, or `nil` if no request waits. If `onlyUrgent` is true, only urgent requests
    /// count.
    func next(onlyUrgent: Bool, now: Int64) -> PoolRequest?

    /// Called when all connections have been filled.
    ///
    /// - Parameter isUsable: Whether at least one connection is open and authorized.
    func filled(isUsable: Bool, now: Int64)

    /// Called when requests wait but the pool has no connection, because other pools use all connections that the
    /// shared limit allows. The state lasts until ``filled(isUsable:now:)`` reports a usable connection.
    func crowdedOut(now: Int64)

    /// Called when the turn is over. The client can then report collected results.
    func turnEnds()

    /// Called for each header field of an answer.
    func answerField(_ tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)

    /// Called when the answer is complete or too long, or when its status shows acceptance but the rest is missing.
    ///
    /// - Returns: The consequence for the connection.
    func answered(_ tag: Int, _ answer: PoolAnswer, now: Int64) -> ConnectionVerdict

    /// Called for a request that the server has certainly not processed. The client may send it again at once.
    ///
    /// - Parameter loss: The reason, or `nil` if the server or the connection refused the request.
    func unprocessed(_ tag: Int, _ loss: RequestLoss?, now: Int64)

    /// Called for a request that the server may have processed but did not answer.
    func lost(_ tag: Int, _ loss: RequestLoss, now: Int64)

    /// Called when the server sends GOAWAY on a connection.
    ///
    /// - Parameter debugData: The debug data of the GOAWAY (RFC 9113, section 6.8).
    /// - Returns: The reason as text for the log, or `nil` if it is unknown.
    func goAway(debugData: [UInt8], now: Int64) -> String?

    /// Called when a connection could not be made, or when the server refused this client's certificate before a
    /// request was sent.
    ///
    /// - Parameter isLast: Whether no other connection is open or connecting.
    func connectFailed(_ error: any Error, isLast: Bool, now: Int64)

    /// Called once a second.
    func tick(now: Int64)
}

extension PoolClient {
    package var yieldsTurn: Bool { false }
    package func crowdedOut(now: Int64) {}
}

extension PoolClient {
    package var isEmpty: Bool { waiting == 0 }
}
