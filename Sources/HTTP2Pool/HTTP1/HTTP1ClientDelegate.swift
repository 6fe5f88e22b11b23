import HTTP2Channel
import HTTP2Session

/// The owner of an HTTP/1.1 connection. It receives the same calls as for HTTP/2, with a request's number as its
/// stream.
protocol HTTP1ClientDelegate: HTTP2ClientDelegate, HTTP2ChannelObserver {
    /// Called when the connection closes after this answer.
    func answeredLast()
}
