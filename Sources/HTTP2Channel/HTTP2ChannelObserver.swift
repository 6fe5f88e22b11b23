/// An observer of the channel under an HTTP/2 session.
public protocol HTTP2ChannelObserver: AnyObject {
    /// Called once, on the channel's event loop, when the connection is gone. No other call for the session follows.
    ///
    /// - Parameter error: The cause: ``HTTP2Error`` for the peer's errors, otherwise an error of the network or TLS.
    ///   `nil` if both sides had finished or the peer closed the connection.
    func channelClosed(error: (any Error)?)
}
