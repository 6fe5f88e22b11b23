/// A refusal of a key by APNs, for example because the key is revoked or not allowed for some topics.
public struct KeyRefusal: Hashable, Sendable {
    /// The reason in the answers to requests with the key. For example, it is InvalidProviderToken for a revoked key.
    public var reason: RejectionReason
    /// The topics for which the key is refused, or an empty set for all topics. A bundle id also covers its topics with
    /// a suffix, such as `.voip`.
    public var topics: Set<String>

    public init(_ reason: RejectionReason = .invalidProviderToken, topics: Set<String> = []) {
        self.reason = reason
        self.topics = topics
    }
}
