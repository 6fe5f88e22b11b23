/// A temporary refusal of a key by APNs, for example because it is revoked or not allowed for some topics.
public struct KeyRefusal: Hashable, Sendable {
    /// The reason in the answers to the key's requests, for example InvalidProviderToken for a revoked key, or
    /// TopicDisallowed.
    public var reason: RejectionReason
    /// The topics for which the key is refused, or empty for all topics. A bundle ID includes its topics with a suffix.
    public var topics: Set<String>

    public init(_ reason: RejectionReason = .invalidProviderToken, topics: Set<String> = []) {
        self.reason = reason
        self.topics = topics
    }
}
