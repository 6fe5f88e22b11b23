/// A credential that routing considered, with the result of its checks.
public struct RoutingCandidate: Sendable, Hashable {
    public let credential: CredentialSummary
    /// The rank of the credential, or `nil` if it does not suit the topic, the environment or the push type.
    public let rank: RoutingRank?
    /// The reason why the credential can't be used, or `nil` if it can.
    public let obstacle: RoutingObstacle?
}
