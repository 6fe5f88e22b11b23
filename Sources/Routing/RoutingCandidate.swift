/// A credential that routing considered, with the result of its checks.
package struct RoutingCandidate: Sendable, Hashable {
    package let credential: CredentialSummary
    /// The rank of the credential, or `nil` if it does not suit the topic.
    package let rank: RoutingRank?
    /// The reason why the credential can't be used, or `nil` if it can.
    package let obstacle: RoutingObstacle?
}
