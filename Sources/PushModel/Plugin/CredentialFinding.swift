/// The result of checking a credential.
public struct CredentialFinding: Sendable, Hashable {
    public enum Result: Sendable, Hashable {
        /// The provider accepts the credential. The text explains what proved this.
        case accepted(String)
        /// The provider refuses the credential, with its reason. The status is `nil` if the refusal has none, as in a
        /// TLS handshake.
        case refused(status: Int?, reason: String)
        /// The provider did not answer, so the check has no result. The text explains the problem.
        case unreachable(String)
        /// The credential cannot be tried. The text explains why.
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
