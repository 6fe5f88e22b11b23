/// The secret with which an output authenticates for an app: a signing key, a TLS client certificate, or another
/// secret. It is a class, so that all jobs that use the credential share one instance.
public final class Credential: Sendable, Identifiable, Hashable {
    /// The kind of a credential, with its secret.
    public enum Kind: Sendable, Hashable {
        /// A key that signs short-lived tokens. It consists of a private key in PKCS#8 PEM and the id that the provider
        /// gave to the key.
        case token(keyID: String, privateKeyPEM: Secret)
        /// A TLS client certificate. It consists of the chain in DER, leaf first, and the private key in DER (PKCS#8,
        /// or the traditional form of its algorithm).
        case certificate(chainDER: [[UInt8]], privateKeyDER: Secret)
        /// A secret in a format that only its output reads, such as an API key.
        case secret(Secret)
    }

    /// The id of the credential's row in `martlet.credentials`, a lower-case UUID.
    public let id: String
    /// The name of the output that uses the credential.
    public let output: String
    public let kind: Kind
    /// The provider's account to which the credential belongs, for example Apple's team id.
    public let account: String
    /// The environments in which the credential may be used, at least one.
    public let environments: Set<PushEnvironment>
    /// The topics to which the credential is limited, or an empty set for every topic of its account.
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
