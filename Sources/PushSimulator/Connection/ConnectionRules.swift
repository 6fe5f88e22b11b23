public import HTTP2Session

/// The behaviour of a service on one connection. All methods are called on the connection's event loop. Each request has
/// a small number, which is reused after the request is closed.
///
/// A request begins, and its fields and body arrive. When it is complete, it is judged. It is answered when the answer
/// is due, unless the client cancels it. Finally it is closed.
public protocol ConnectionRules: AnyObject {
    /// Returns the settings for the first SETTINGS frame of the connection.
    ///
    /// - Parameter streamLimit: the number of streams that a connection may open at present.
    func settings(streamLimit: Int) -> HTTP2Settings
    /// Whether the client has authenticated. A changed stream limit is announced only to authenticated clients.
    var isAuthenticated: Bool { get }
    /// An identifier of the credential with which requests are sent, for ``RecordedRequest``, or `nil` if no credential
    /// was accepted.
    var credential: String? { get }
    /// The maximum number of body bytes in a request's text. It must exceed the longest body that the service accepts.
    var longestText: Int { get }

    /// Called when the connection begins to serve requests.
    func opened(_ connection: SimulatorConnection)
    /// Called when the connection has ended. ``close(_:)`` is not called for its open requests.
    func closed()

    func begin(_ request: Int, on connection: SimulatorConnection)
    /// Receives one header field. Pseudo-headers come first. The buffers are valid only during the call.
    func take(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, of request: Int,
        on connection: SimulatorConnection)
    func take(body bytes: UnsafeRawBufferPointer, of request: Int)
    /// Returns the token of a push in canonical spelling, or the path if the request is not a push.
    func token(of request: RequestText) -> String
    /// Judges a complete request, and returns the time of its answer.
    func judge(_ request: Int, on connection: SimulatorConnection) -> AnswerTime
    /// Answers a judged request with `SimulatorConnection.respond(to:fields:body:append:)`.
    ///
    /// - Throws: `HTTP2Error` if the answer is not valid in HTTP.
    func answer(_ request: Int, on connection: SimulatorConnection) throws(HTTP2Error) -> GivenAnswer
    func close(_ request: Int)

    /// Returns the debug data of a GOAWAY frame that gives a reason.
    func goAwayText(_ reason: String) -> String
    /// Called when a request was refused because it exceeded the limit of open streams.
    func streamRefused(on connection: SimulatorConnection)
    /// Called when the client has sent a PING. The PING is acknowledged in any case.
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
