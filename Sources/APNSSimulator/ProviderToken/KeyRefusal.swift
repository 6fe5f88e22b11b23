/// A key that APNs refuses for a while: revoked, not allowed for some topics, or simply not liked.
public struct KeyRefusal: Hashable, Sendable {
    /// What its requests are answered: InvalidProviderToken for a revoked key, for instance, or TopicDisallowed.
    public var reason: RejectionReason
    /// The only topics it is refused for; empty: for all. A bundle id stands for its topics with an ending, too.
    public var topics: Set<String>

    public init(_ reason: RejectionReason = .invalidProviderToken, topics: Set<String> = []) {
        self.reason = reason
        self.topics = topics
    }
}
