/// What a person says of a credential beside its files.
public struct CredentialDetails: Sendable {
    /// For an encrypted file.
    public var passphrase: Secret?
    /// nil: as the files say.
    public var account: String?
    /// Only to be looked at: where neither says the account, it is empty.
    public var mayLackAccount = false
    /// nil: as the files say.
    public var keyID: String?
    /// Where it may be used; nil: as the files say, else everywhere.
    public var environments: Set<PushEnvironment>?
    /// What it is limited to, if the files do not say it.
    public var topics: Set<String> = []
    /// Who answers for what is sent with it: a `mailto:` or `https:` URL, such as RFC 8292 wants.
    public var subject: String?
    /// Where what is sent with it goes.
    public var url: String?
    /// A name for people; nil: made from what the files say.
    public var label: String?

    public init() {}
}
