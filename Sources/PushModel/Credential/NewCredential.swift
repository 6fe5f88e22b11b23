/// A credential that has been read from files and is not yet stored in PostgreSQL.
public struct NewCredential: Sendable {
    public var kind: Credential.Kind
    /// The provider's account to which the credential belongs.
    public var account: String
    public var environments: Set<PushEnvironment>
    /// The topics to which the credential is limited, or an empty set for no limit.
    public var topics: Set<String>
    /// The purposes (`app`, `voip`, …) of each topic of a certificate. They are displayed, but not used for routing.
    public var topicKinds: [String: [String]]
    /// The start of a certificate's validity, or `nil` for other credentials.
    public var notBefore: Timestamp?
    /// The end of a certificate's validity, or `nil` for other credentials.
    public var notAfter: Timestamp?
    /// The SHA-256 hash of the public key or the leaf certificate, or of the secret if it has neither, in hex.
    public var fingerprint: String
    /// The display name.
    public var label: String
    /// Named strings that the operator uses elsewhere, such as a public key or a shared secret. They are shown once,
    /// when the credential is made or imported.
    public var shown: [(name: String, text: String)] = []
    /// The private key in PKCS#8 PEM, for `credential create --out`, or `nil` if there is no private key to save.
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
