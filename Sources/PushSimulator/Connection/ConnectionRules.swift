public import HTTP2Session

/// The behavior of a service on one connection. All methods are called on the connection's event loop. A request is
/// identified by a small number, which is reused after the request is closed.
///
/// Each request begins and delivers its fields and body. Once complete, it is judged, and it is answered when the
/// answer is due, unless the client cancels it. Finally it is closed.
public protocol ConnectionRules: AnyObject {
    /// Returns the first SETTINGS frame of the connection.
    ///
    /// - Parameter streamLimit: The number of streams that a connection may open at present.
    func settings(streamLimit: Int) -> HTTP2Settings
    /// Whether the client has authenticated. Until then, it is not informed of a changed stream limit.
    var isAuthenticated: Bool { get }
    /// An identifier of the credential that requests are sent with, for the record, or `nil` if none was accepted.
    var credential: String? { get }
    /// The number of body bytes that a request's text keeps. It exceeds the longest body that the service accepts.
    var longestText: Int { get }

    /// Called when the connection starts to serve requests.
    func opened(_ connection: SimulatorConnection)
    /// Called when the connection has ended. Requests still in progress are not closed individually.
    func closed()

    func begin(_ request: Int, on connection: SimulatorConnection)
    /// Receives one field, pseudo-headers first. The buffers are valid during the call only.
    func take(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, of request: Int,
        on connection: SimulatorConnection)
    func take(body bytes: UnsafeRawBufferPointer, of request: Int)
    /// Returns the token that a push is for, in canonical spelling, or the path if the request is not a push.
    func token(of request: RequestText) -> String
    /// Judges a complete request and returns when to answer it.
    func judge(_ request: Int, on connection: SimulatorConnection) -> AnswerTime
    /// Answers a judged request with `SimulatorConnection.respond(to:fields:body:append:)`.
    ///
    /// - Throws: `HTTP2Error` if the answer is not valid in HTTP.
    func answer(_ request: Int, on connection: SimulatorConnection) throws(HTTP2Error) -> GivenAnswer
    func close(_ request: Int)

    /// Returns the debug data of a GOAWAY with this reason.
    func goAwayText(_ reason: String) -> String
    /// Called when a request was refused because it exceeded the limit of open streams.
    func streamRefused(on connection: SimulatorConnection)
    /// Called when the client has sent a PING. The PING is always acknowledged.
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
