package import HTTP2Pool
import PushModel

/// The reasons that Martlet reports for pushes without an answer from the provider. They are the same for all outputs.
package enum SendingReason {
    /// No connection could be made.
    package static let connectionFailed = Outcome.connectionFailed
    /// Servers have refused the push without processing it so often that the push waits before the next attempt.
    package static let streamRefused = "StreamRefused"
    /// The credential selected by routing cannot be used.
    package static let credentialUnusable = "CredentialUnusable"
    /// The output cannot express the push as an HTTP request.
    package static let invalidRequest = "InvalidRequest"

    /// Returns the reason for a push without an answer.
    package static func of(_ loss: RequestLoss) -> String {
        switch loss {
        case .timeout: "RequestTimeout"
        case .streamReset: "StreamReset"
        case .connectionLost: "ConnectionLost"
        }
    }
}
