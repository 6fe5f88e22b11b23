/// Who wants to know what becomes of the channel under an HTTP/2 session.
public protocol HTTP2ChannelObserver: AnyObject {
    /// The connection is gone, and nothing of the session will be called again. Called once, on the
    /// channel's event loop.
    ///
    /// - Parameter error: what ended it: ``HTTP2Error`` for the peer's faults, else the network's or TLS's
    ///   error; nil when both sides had finished or the peer closed.
    func channelClosed(error: (any Error)?)
}
