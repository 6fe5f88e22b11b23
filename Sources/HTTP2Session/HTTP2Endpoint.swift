/// One end of an HTTP/2 connection without its socket: bytes in, bytes out. Single owner: all calls on one
/// thread, and neither call is allowed from inside the other (nghttp2 manual, "Programmers' Guide").
public protocol HTTP2Endpoint: AnyObject {
    /// False once nothing the peer may still send matters.
    var wantsRead: Bool { get }
    /// True when ``collectOutput(limit:_:)`` has something to do, nearly always bytes to hand out.
    var wantsWrite: Bool { get }

    /// Takes in bytes from the peer and calls the delegate for what they bring.
    ///
    /// - Throws: why the session ended. It takes no more input then.
    func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error)

    /// Hands out what there is to send, in pieces that are valid during the call of `body`, and stops early
    /// once `limit` bytes have been handed out.
    ///
    /// - Throws: why the session has ended, after the last bytes (the GOAWAY that tells the peer) were
    ///   handed out.
    func collectOutput(limit: Int, _ body: (UnsafeRawBufferPointer) -> Void) throws(HTTP2Error)

    /// Releases the delegate, which hears nothing more: the connection is over.
    func detachDelegate()
}

extension HTTP2Endpoint {
    /// Both sides are done: the connection can be closed.
    public var isFinished: Bool {
        !wantsRead && !wantsWrite
    }
}
