/// What a client session tells its owner. All calls come from inside ``HTTP2ClientSession/receive(_:)`` or
/// ``HTTP2ClientSession/collectOutput(limit:_:)``; requests may be submitted from them. Buffers are valid
/// during the call only. `tag` is the number the request was submitted with.
public protocol HTTP2ClientDelegate: AnyObject {
    /// The final status of a response, before its fields. Informational (1xx) responses are left out.
    func responseStarted(tag: Int, status: Int)
    /// One field of a response's header; trailers are left out.
    func responseField(tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)
    func responseData(tag: Int, _ bytes: UnsafeRawBufferPointer)
    /// The response is whole. ``streamClosed(tag:streamID:code:)`` follows.
    func responseEnded(tag: Int)
    /// Called once for each submitted request, unless the session is given up first. A request that never
    /// left, or that the peer's GOAWAY says was not processed, closes with `refusedStream`. During this call
    /// ``HTTP2ClientSession/isWritten(_:)`` can still be asked.
    func streamClosed(tag: Int, streamID: Int32, code: HTTP2ErrorCode)
    /// The peer's settings arrived, at first or anew.
    func peerSettingsChanged()
    /// The peer takes no new requests. Streams above `lastStreamID` are closed with `refusedStream` next.
    func goAwayReceived(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: UnsafeRawBufferPointer)
    func pingAcknowledged(_ payload: UInt64)
}
