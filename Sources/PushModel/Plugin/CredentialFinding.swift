/// What a check of a credential has found out.
public struct CredentialFinding: Sendable, Hashable {
    public enum Result: Sendable, Hashable {
        /// The provider accepts it; the text says how that is known.
        case accepted(String)
        /// The provider's reason; the status is nil where it came without an answer.
        case refused(status: Int?, reason: String)
        /// No answer, so nothing is known about the credential.
        case unreachable(String)
        /// It can't even be tried.
        case unusable(String)
    }

    public let result: Result
    /// What to do about it; nil where there is nothing to add.
    public let advice: String?

    public init(_ result: Result, advice: String? = nil) {
        self.result = result
        self.advice = advice
    }
}
