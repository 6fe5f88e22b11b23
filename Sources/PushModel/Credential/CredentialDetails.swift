/// The details that a person gives for a credential in addition to its files.
public struct CredentialDetails: Sendable {
    /// The passphrase of an encrypted file.
    public var passphrase: Secret?
    /// The provider's account, or `nil` to take it from the files.
    public var account: String?
    /// Whether the files are only inspected. The account is then empty if neither the details nor the files name one.
    public var mayLackAccount = false
    /// The provider's id of the key, or `nil` to take it from the files.
    public var keyID: String?
    /// The environments in which the credential may be used, or `nil` to take them from the files. If the files name
    /// none, it may be used in all environments.
    public var environments: Set<PushEnvironment>?
    /// The topics to which the credential is limited, if the files do not name them.
    public var topics: Set<String> = []
    /// The contact for messages that are sent with the credential, as RFC 8292 requires it: a `mailto:` or `https:`
    /// URL.
    public var subject: String?
    /// The URL to which requests with the credential go.
    public var url: String?
    /// A name for people, or `nil` to derive it from the files.
    public var label: String?

    public init() {}
}
