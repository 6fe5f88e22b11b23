import HTTP2Channel
import HTTP2Session

/// What an HTTP/1.1 connection tells its owner: the same as one of HTTP/2, a request's number being its stream.
protocol HTTP1ClientDelegate: HTTP2ClientDelegate, HTTP2ChannelObserver {
    /// The connection is closed after this answer.
    func answeredLast()
}
