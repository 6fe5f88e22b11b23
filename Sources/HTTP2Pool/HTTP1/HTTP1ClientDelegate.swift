import HTTP2Channel
import HTTP2Session

/// The owner of an HTTP/1.1 connection. It receives the same calls as the owner of an HTTP/2 connection, with the
/// request's number as the stream id.
protocol HTTP1ClientDelegate: HTTP2ClientDelegate, HTTP2ChannelObserver {
    /// Handles the last answer on the connection, which then closes.
    func answeredLast()
}
