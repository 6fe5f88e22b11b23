/// The result of checking a credential.
public struct CredentialFinding: Sendable, Hashable {
    public enum Result: Sendable, Hashable {
        /// The provider accepts the credential. The text explains how this is known.
        case accepted(String)
        /// The provider refuses the credential, with its reason. The status is `nil` if the refusal has none, as in a
        /// TLS handshake.
        case refused(status: Int?, reason: String)
        /// The provider did not answer, so nothing is known about the credential.
        case unreachable(String)
        /// The credential cannot even be tried.
        case unusable(String)
    }

    public let result: Result
    /// The recommended action, or `nil` if there is nothing to add.
    public let advice: String?

    public init(_ result: Result, advice: String? = nil) {
        self.result = result
        self.advice = advice
    }
}
