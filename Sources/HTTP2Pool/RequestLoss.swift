package import HTTP2Session

/// Why there is no answer to a request.
package enum RequestLoss: Sendable {
    case timeout
    case streamReset(HTTP2ErrorCode)
    /// nil: closed without a word.
    case connectionLost((any Error)?)
}
