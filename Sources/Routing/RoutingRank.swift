/// The reason why routing considers a credential, in order of preference. Among usable credentials of equal rank, the
/// newest is chosen.
package enum RoutingRank: Int, Sendable, Hashable, CaseIterable {
    case namedByJob
    case namedByApp
    /// The credential is a certificate for the topic of the push.
    case certificate
    /// The credential is a key that is limited to certain topics, among them the topic of the push.
    case topicKey
    /// The credential is a key that is limited to certain topics, among them a wider topic that covers the topic of the
    /// push.
    case appKey
    /// The credential is a key for all topics of the account, or its row can't be read.
    case accountKey
}
