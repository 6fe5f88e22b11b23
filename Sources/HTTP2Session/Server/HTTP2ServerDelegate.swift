/// What a server session tells its owner. All calls come from inside ``HTTP2ServerSession/receive(_:)`` or
/// ``HTTP2ServerSession/collectOutput(limit:_:)``; responses may be submitted from them. Buffers are valid
/// during the call only.
public protocol HTTP2ServerDelegate: AnyObject {
    /// A request begins.
    ///
    /// - Returns: the delegate's own number for it, handed back with each of its events.
    func requestStarted(streamID: Int32) -> Int
    /// One field, pseudo-headers first. Trailers come here too.
    func requestField(tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)
    func requestData(tag: Int, _ bytes: UnsafeRawBufferPointer)
    /// The request is whole.
    func requestEnded(tag: Int, streamID: Int32)
    /// Called once for each started request, unless the session is given up first.
    func streamClosed(tag: Int, streamID: Int32, code: HTTP2ErrorCode)
    /// The client has taken up all settings announced so far.
    func settingsAcknowledged()
    func goAwayReceived(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: UnsafeRawBufferPointer)
    func pingAcknowledged(_ payload: UInt64)
}
