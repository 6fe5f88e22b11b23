/// An output whose accounts have credentials, as routing knows it.
public struct OutputAccounts: Sendable, Hashable {
    public let name: String
    /// What it calls an account.
    public let accountName: String

    public init(name: String, accountName: String) {
        self.name = name
        self.accountName = accountName
    }
}
