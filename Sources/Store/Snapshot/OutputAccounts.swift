/// An output whose accounts have credentials, as routing uses it.
public struct OutputAccounts: Sendable, Hashable {
    public let name: String
    /// The output's word for an account.
    public let accountName: String

    public init(name: String, accountName: String) {
        self.name = name
        self.accountName = accountName
    }
}
