/// An observer of the channel under an HTTP/2 session.
package protocol HTTP2ChannelObserver: AnyObject {
    /// Called once, on the channel's event loop, when the channel is closed. No delegate call of the session follows.
    ///
    /// - Parameter error: The cause, or `nil` if either side closed the connection without an error. The cause is an
    ///   `HTTP2Error` if the peer broke the protocol, otherwise an error from the network or TLS.
    func channelClosed(error: (any Error)?)
}
