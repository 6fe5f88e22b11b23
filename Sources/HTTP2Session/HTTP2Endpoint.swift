/// An endpoint of an HTTP/2 connection without its socket. It turns received bytes into delegate calls, and messages
/// into bytes to send. It has a single owner, and all calls are on one thread. ``receive(_:)`` and
/// ``collectOutput(limit:_:)`` must not be called from inside each other (nghttp2 manual, "Programmers' Guide").
public protocol HTTP2Endpoint: AnyObject {
    /// Whether the session still needs input from the peer.
    var wantsRead: Bool { get }
    /// Whether ``collectOutput(limit:_:)`` has work to do, which is nearly always output to send.
    var wantsWrite: Bool { get }

    /// Processes bytes from the peer and calls the delegate for the messages and frames in them.
    ///
    /// - Throws: The reason why the session ended. An ended session accepts no more input.
    func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error)

    /// Passes the pending output to `body`, in pieces that are valid during each call. Stops early once `limit` bytes
    /// have been passed.
    ///
    /// - Throws: The reason why the session ended. Before it throws, the session passes its last bytes, which usually
    ///   include the GOAWAY for the peer.
    func collectOutput(limit: Int, _ body: (UnsafeRawBufferPointer) -> Void) throws(HTTP2Error)

    /// Releases the delegate, which is not called again. Call this when the connection is over.
    func detachDelegate()
}

extension HTTP2Endpoint {
    /// Whether both sides are done, so that the connection can be closed.
    public var isFinished: Bool {
        !wantsRead && !wantsWrite
    }
}
