/// A push that a sender should not have sent.
public struct SendViolation: Codable, Sendable, Equatable {
    public enum Kind: String, Codable, Sendable {
        /// Earlier than 10 s after the failure, or than Retry-After said.
        case retryTooSoon = "retry_too_soon"
        /// The same message to the same target was accepted before.
        case duplicate
    }

    public let kind: Kind
    /// The token, installation id, topic or condition.
    public let target: String
    public let statusBefore: Int
    /// Since the answer before.
    public let elapsedMilliseconds: Int64

    enum CodingKeys: String, CodingKey {
        case kind, target, statusBefore = "status_before", elapsedMilliseconds = "elapsed_ms"
    }
}
