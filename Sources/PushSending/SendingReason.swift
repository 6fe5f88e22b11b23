package import HTTP2Pool
import PushModel

/// Our reasons for pushes that the provider has not judged, the same for each output.
package enum SendingReason {
    /// No connection could be made.
    package static let connectionFailed = Outcome.connectionFailed
    /// Refused unprocessed, so many times over that it waits instead.
    package static let streamRefused = "StreamRefused"
    /// What routing has chosen can't be used.
    package static let credentialUnusable = "CredentialUnusable"

    /// For a push without an answer.
    package static func of(_ loss: RequestLoss) -> String {
        switch loss {
        case .timeout: "RequestTimeout"
        case .streamReset: "StreamReset"
        case .connectionLost: "ConnectionLost"
        }
    }
}
