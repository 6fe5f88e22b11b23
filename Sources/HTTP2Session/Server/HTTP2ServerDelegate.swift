/// What a server session tells its owner. All calls come from inside ``HTTP2ServerSession/receive(_:)`` or
/// ``HTTP2ServerSession/collectOutput(limit:_:)``; responses may be submitted from them. Buffers are valid
/// during the call only.
public protocol HTTP2ServerDelegate: AnyObject {
    /// A request begins.
    ///
    /// - Returns: the delegate's own number for it, repeated with each of its events.
    func requestStarted(streamID: Int32) -> Int
    /// One field, pseudo-headers first.
    func requestField(tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)
    /// One field after the body, of which nothing about the request may be concluded (RFC 9110, section 6.5.1).
    func requestTrailer(tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)
    func requestData(tag: Int, _ bytes: UnsafeRawBufferPointer)
    /// The request is whole.
    func requestEnded(tag: Int, streamID: Int32)
    /// Called once for each started request, unless the session is given up first.
    func streamClosed(tag: Int, streamID: Int32, code: HTTP2ErrorCode)
    /// A request was above the limit for open streams and is refused unprocessed (REFUSED_STREAM); nothing else is
    /// told of it.
    func requestRefused(streamID: Int32)
    /// A request broke the rules of HTTP and its stream is reset.
    ///
    /// - Parameter problem: which rule, for people. Names fields, never contains their values.
    func requestMalformed(streamID: Int32, problem: String)
    /// The client has taken up all settings announced so far.
    func settingsAcknowledged()
    func goAwayReceived(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: UnsafeRawBufferPointer)
    func pingAcknowledged(_ payload: UInt64)
    /// The client has sent a PING; it is answered in any case.
    func pingReceived()
}

extension HTTP2ServerDelegate {
    public func requestTrailer(tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {}
    public func requestRefused(streamID: Int32) {}
    public func requestMalformed(streamID: Int32, problem: String) {}
    public func pingReceived() {}
}
