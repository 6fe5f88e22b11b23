/// A credential that routing looked at, and what it found.
public struct RoutingCandidate: Sendable, Hashable {
    public let credential: CredentialSummary
    /// nil: it has none for this topic, environment or push type.
    public let rank: RoutingRank?
    /// nil: it serves.
    public let obstacle: RoutingObstacle?
}
