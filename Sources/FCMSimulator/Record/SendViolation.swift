/// A push that a sender should not have sent.
public struct SendViolation: Codable, Sendable, Equatable {
    public enum Kind: String, Codable, Sendable {
        /// The retry came earlier than the minimum delay after a failure, or earlier than `retry-after` allowed.
        case retryTooSoon = "retry_too_soon"
        /// The push equals a message that the simulator had accepted for the same target.
        case duplicate
    }

    public let kind: Kind
    /// The token, installation id, topic or condition of the push.
    public let target: String
    public let statusBefore: Int
    /// The time since the previous answer, in milliseconds.
    public let elapsedMilliseconds: Int64

    enum CodingKeys: String, CodingKey {
        case kind, target, statusBefore = "status_before", elapsedMilliseconds = "elapsed_ms"
    }
}
