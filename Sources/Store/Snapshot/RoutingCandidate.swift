/// A credential that routing considered, with the result.
public struct RoutingCandidate: Sendable, Hashable {
    public let credential: CredentialSummary
    /// The rank of the credential, or `nil` if it has none for this topic, environment or push type.
    public let rank: RoutingRank?
    /// The reason why the credential can't be used, or `nil` if it can.
    public let obstacle: RoutingObstacle?
}
