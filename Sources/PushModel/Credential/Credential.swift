/// What an output needs to speak for an app: a signing key, a TLS client certificate, or another secret. A class, since every
/// job carries one.
public final class Credential: Sendable, Identifiable, Hashable {
    /// Where the secret of a credential comes in.
    public enum Kind: Sendable, Hashable {
        /// A key that signs short-lived tokens: private, in PKCS#8 PEM, and the id under which the provider knows it.
        case token(keyID: String, privateKeyPEM: Secret)
        /// A certificate that a TLS client shows: the chain, leaf first, in DER, and the private key in DER (PKCS#8, or the
        /// traditional form of its algorithm).
        case certificate(chainDER: [[UInt8]], privateKeyDER: Secret)
        /// Whatever else its output reads by itself, such as an API key.
        case secret(Secret)
    }

    /// The row's id in `martlet.credentials`, a lower-case UUID.
    public let id: String
    /// The output that uses it.
    public let output: String
    public let kind: Kind
    /// Whose it is, with the output's provider: Apple's team id, say.
    public let account: String
    /// The environments it may be used in; never empty.
    public let environments: Set<PushEnvironment>
    /// The topics it is limited to; empty means every topic of its account.
    public let topics: Set<String>

    public init(
        id: String, output: String = Job.defaultOutput, kind: Kind, account: String,
        environments: Set<PushEnvironment>, topics: Set<String> = []
    ) {
        self.id = id
        self.output = output
        self.kind = kind
        self.account = account
        self.environments = environments
        self.topics = topics
    }

    public static func == (lhs: Credential, rhs: Credential) -> Bool {
        lhs === rhs || lhs.id == rhs.id && lhs.kind == rhs.kind
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
