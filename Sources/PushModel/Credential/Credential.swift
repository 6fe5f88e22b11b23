/// What an output needs to speak for an app: a provider token's signing key, or a TLS client certificate.
public struct Credential: Sendable, Identifiable, Hashable {
    /// Where the secret of a credential comes in.
    public enum Kind: Sendable, Hashable {
        /// Apple's token authentication: a PKCS#8 PEM P-256 private key (`.p8`) and its ten-character key id.
        case token(keyID: String, privateKeyPEM: Secret)
        /// Apple's certificate authentication: the chain, leaf first, in DER, and the private key in DER
        /// (PKCS#8, or the traditional form of its algorithm).
        case certificate(chainDER: [[UInt8]], privateKeyDER: Secret)
    }

    /// The row's id in `martlet.credentials`, a lower-case UUID.
    public let id: String
    public let kind: Kind
    /// Apple's ten-character team id.
    public let team: String
    /// The environments it may be used in; never empty.
    public let environments: Set<PushEnvironment>
    /// The topics it is limited to; empty means every topic of its team.
    public let topics: Set<String>

    public init(
        id: String, kind: Kind, team: String, environments: Set<PushEnvironment>, topics: Set<String> = []
    ) {
        self.id = id
        self.kind = kind
        self.team = team
        self.environments = environments
        self.topics = topics
    }

    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.id == rhs.id && lhs.kind == rhs.kind }
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
