/// The names that routing needs of an output whose accounts have credentials.
public struct OutputAccounts: Sendable, Hashable {
    public let name: String
    /// The output's term for an account, such as `team`.
    public let accountName: String

    public init(name: String, accountName: String) {
        self.name = name
        self.accountName = accountName
    }
}
