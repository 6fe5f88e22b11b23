/// What a file says about a credential, before it has a row.
public struct NewCredential: Sendable {
    public var kind: Credential.Kind
    /// Whose it is, with its output's provider.
    public var account: String
    public var environments: Set<PushEnvironment>
    /// What it is limited to; empty: nothing.
    public var topics: Set<String>
    /// What a certificate says each of its topics is for (`app`, `voip`, …): for people, not for routing.
    public var topicKinds: [String: [String]]
    public var notBefore: Timestamp?
    public var notAfter: Timestamp?
    /// SHA-256 in hex: of the public key for a token credential, of the leaf for a certificate.
    public var fingerprint: String
    public var label: String
    /// What people need of it elsewhere, shown once when it is made or imported: a public key, a secret that is shared. By
    /// what it is called.
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
