/// A credential that was read from files and has no row yet.
public struct NewCredential: Sendable {
    public var kind: Credential.Kind
    /// The provider's account to which the credential belongs.
    public var account: String
    public var environments: Set<PushEnvironment>
    /// The topics to which the credential is limited, or an empty set for no limit.
    public var topics: Set<String>
    /// The purposes (`app`, `voip`, …) that a certificate names for each of its topics. They are shown to people and
    /// not used for routing.
    public var topicKinds: [String: [String]]
    public var notBefore: Timestamp?
    public var notAfter: Timestamp?
    /// SHA-256 in hex of the public key of a token credential, or of the leaf certificate.
    public var fingerprint: String
    public var label: String
    /// Named texts that people need elsewhere, such as a public key or a shared secret. They are shown once, when the
    /// credential is made or imported.
    public var shown: [(name: String, text: String)] = []
    /// The private key in PKCS#8 PEM, for `credential create --out`, or `nil` if a backup is not needed.
    public var backup: Secret?

    public init(
        kind: Credential.Kind, account: String, environments: Set<PushEnvironment>, topics: Set<String>,
        topicKinds: [String: [String]] = [:], notBefore: Timestamp? = nil, notAfter: Timestamp? = nil,
        fingerprint: String, label: String
    ) {
        self.kind = kind
        self.account = account
        self.environments = environments
        self.topics = topics
        self.topicKinds = topicKinds
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.fingerprint = fingerprint
        self.label = label
    }
}
