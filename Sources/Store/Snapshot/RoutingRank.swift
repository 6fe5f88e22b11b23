/// On what ground a credential is considered. Of those that serve, the first goes, and the newest of equals.
public enum RoutingRank: Int, Sendable, Hashable, CaseIterable {
    case namedByJob
    case namedByApp
    /// A certificate for the topic.
    case certificate
    /// A key that is limited to topics, this one among them.
    case topicKey
    /// A key that is limited to topics, one among them that covers this one.
    case appKey
    /// A key of the whole account.
    case accountKey
}
