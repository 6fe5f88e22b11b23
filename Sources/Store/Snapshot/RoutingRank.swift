/// The reason why routing considers a credential, in order of preference. Among usable credentials of equal rank, the
/// newest is chosen.
public enum RoutingRank: Int, Sendable, Hashable, CaseIterable {
    case namedByJob
    case namedByApp
    /// A certificate for the topic.
    case certificate
    /// A key that is limited to topics, including this one.
    case topicKey
    /// A key that is limited to topics, including a wider one that covers this one.
    case appKey
    /// A key of the whole account.
    case accountKey
}
