/// The delegate of a server session. All calls come from inside ``HTTP2ServerSession/receive(_:)`` or
/// ``HTTP2ServerSession/collectOutput(limit:_:)``. Implementations may submit responses in these calls. Buffers are
/// valid only during the call.
public protocol HTTP2ServerDelegate: AnyObject {
    /// Called when a request begins.
    ///
    /// - Returns: The delegate's own number for the request. Each later call about the request passes it as `tag`.
    func requestStarted(streamID: Int32) -> Int
    /// Called for each header field of a request, pseudo-header fields first.
    func requestField(tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)
    /// Called for each field after the body. Trailers must not change how the request is processed (RFC 9110, section
    /// 6.5.1).
    func requestTrailer(tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)
    func requestData(tag: Int, _ bytes: UnsafeRawBufferPointer)
    /// Called when the request is complete.
    func requestEnded(tag: Int, streamID: Int32)
    /// Called once for each started request, unless the session is released first.
    func streamClosed(tag: Int, streamID: Int32, code: HTTP2ErrorCode)
    /// Called when a request exceeds the limit on open streams and is refused unprocessed (REFUSED_STREAM). No other
    /// call reports this request.
    func requestRefused(streamID: Int32)
    /// Called when a request breaks the rules of HTTP and its stream is reset.
    ///
    /// - Parameter problem: The broken rule, for humans. It may name fields but never contains their values.
    func requestMalformed(streamID: Int32, problem: String)
    /// Called when the client has acknowledged a SETTINGS frame, so that its settings are in force.
    func settingsAcknowledged()
    func goAwayReceived(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: UnsafeRawBufferPointer)
    func pingAcknowledged(_ payload: UInt64)
    /// Called when the client has sent a PING. The session answers the PING automatically.
    func pingReceived()
}

extension HTTP2ServerDelegate {
    public func requestTrailer(tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {}
    public func requestRefused(streamID: Int32) {}
    public func requestMalformed(streamID: Int32, problem: String) {}
    public func pingReceived() {}
}
