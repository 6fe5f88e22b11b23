public import HTTP2Session

/// What a service makes of one connection. Called on the connection's event loop only; it knows a request by a small
/// number, which another request gets when this one is over.
///
/// Each request is begun, its fields and body are taken in, and when it is whole it is judged, then answered when that
/// is due, unless the client gives it up. At last it is closed.
public protocol ConnectionRules: AnyObject {
    /// The first SETTINGS.
    ///
    /// - Parameter streamLimit: streams that a connection may open at present.
    func settings(streamLimit: Int) -> HTTP2Settings
    /// False: the client has yet to show who it is, and has no use for a new limit of streams.
    var isAuthenticated: Bool { get }
    /// What shows by which credential requests are sent, for the record; nil: none was accepted.
    var credential: String? { get }
    /// Bytes of a request's body that its text keeps: more than the service takes.
    var longestText: Int { get }

    /// The connection serves from now on.
    func opened(_ connection: SimulatorConnection)
    /// The connection is gone. Requests that were under way are not closed one by one.
    func closed()

    func begin(_ request: Int, on connection: SimulatorConnection)
    /// One field, pseudo-headers first; the buffers are valid during the call only.
    func take(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, of request: Int,
        on connection: SimulatorConnection)
    func take(body bytes: UnsafeRawBufferPointer, of request: Int)
    /// Whom a push is for, in its canonical spelling; the path if the request is about something else.
    func token(of request: RequestText) -> String
    /// Decides about a request that is whole.
    func judge(_ request: Int, on connection: SimulatorConnection) -> AnswerTime
    /// Answers what was judged, by `SimulatorConnection.respond(to:fields:body:append:)`.
    ///
    /// - Throws: `HTTP2Error` if the answer is none that HTTP has.
    func answer(_ request: Int, on connection: SimulatorConnection) throws(HTTP2Error) -> GivenAnswer
    func close(_ request: Int)

    /// The debug data of a GOAWAY with this reason.
    func goAwayText(_ reason: String) -> String
    /// A request was above the limit for open streams, and was refused.
    func streamRefused(on connection: SimulatorConnection)
    /// The client has sent a PING, which is answered in any case.
    func pinged(on connection: SimulatorConnection)
}

extension ConnectionRules {
    public func settings(streamLimit: Int) -> HTTP2Settings {
        HTTP2Settings(maxConcurrentStreams: UInt32(clamping: streamLimit))
    }
    public var isAuthenticated: Bool { true }
    public var credential: String? { nil }
    public var longestText: Int { 8_192 }
    public func opened(_ connection: SimulatorConnection) {}
    public func closed() {}
    public func take(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, of request: Int,
        on connection: SimulatorConnection
    ) {}
    public func take(body bytes: UnsafeRawBufferPointer, of request: Int) {}
    public func close(_ request: Int) {}
    public func goAwayText(_ reason: String) -> String { reason }
    public func streamRefused(on connection: SimulatorConnection) {}
    public func pinged(on connection: SimulatorConnection) {}
}
