/// The details that an operator gives for a credential in addition to its files.
public struct CredentialDetails: Sendable {
    /// The passphrase for encrypted files, or `nil` if the operator gave none.
    public var passphrase: Secret?
    /// The account that owns the credential, or `nil` to take it from the files.
    public var account: String?
    /// Whether the account may be missing, because the files are only inspected. If it is missing, the credential that
    /// is read has an empty string as its account.
    public var mayLackAccount = false
    /// The provider's id for the key, or `nil` to take it from the files.
    public var keyID: String?
    /// The environments in which the credential may be used, or `nil` to take them from the files. If the files name no
    /// environments, the output chooses them.
    public var environments: Set<PushEnvironment>?
    /// The topics to which the credential is limited, or an empty set for no limit. Topics that the files name take
    /// precedence.
    public var topics: Set<String> = []
    /// The contact of the sender for Web Push, which Apple requires: a `mailto:` or `https:` URL. It is `nil` if the
    /// operator gave none.
    public var subject: String?
    /// The URL of the receiver of the requests, or `nil` if the operator gave none.
    public var url: String?
    /// A display name, or `nil` to derive it from the credential.
    public var label: String?

    public init() {}
}
