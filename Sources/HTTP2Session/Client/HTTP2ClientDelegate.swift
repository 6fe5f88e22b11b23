/// The delegate of a client session. All calls come from inside ``HTTP2ClientSession/receive(_:)`` or
/// ``HTTP2ClientSession/collectOutput(limit:_:)``. Implementations may submit requests in these calls. Buffers are
/// valid only during the call. `tag` is the number that the caller passed when it submitted the request.
public protocol HTTP2ClientDelegate: AnyObject {
    /// Called with the final status of a response, before its fields. Informational (1xx) responses are not reported.
    func responseStarted(tag: Int, status: Int)
    /// Called for each field of a response's header. Trailers are not reported.
    func responseField(tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)
    func responseData(tag: Int, _ bytes: UnsafeRawBufferPointer)
    /// Called when the response is complete. ``streamClosed(tag:streamID:code:)`` follows.
    func responseEnded(tag: Int)
    /// Called once for each submitted request, unless the session is released first. The code is `refusedStream` if the
    /// server refused the request, if its GOAWAY shows that the request was not processed, or if the request was
    /// neither sent nor reset. Implementations may still call ``HTTP2ClientSession/isWritten(_:)`` for the stream.
    func streamClosed(tag: Int, streamID: Int32, code: HTTP2ErrorCode)
    /// Called each time SETTINGS of the peer arrive.
    func peerSettingsChanged()
    /// Called when the peer accepts no further requests on this connection. Streams above `lastStreamID` are then
    /// closed with `refusedStream`.
    func goAwayReceived(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: UnsafeRawBufferPointer)
    func pingAcknowledged(_ payload: UInt64)
}
