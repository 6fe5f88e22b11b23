package import HTTP2Session

/// The reason why a request has no answer.
package enum RequestLoss: Sendable {
    case timeout
    case streamReset(HTTP2ErrorCode)
    /// The connection was lost. The error is `nil` if the connection was closed without an error.
    case connectionLost((any Error)?)
}
