/// The names that routing needs of an output whose accounts have credentials.
package struct OutputAccounts: Sendable, Hashable {
    package let name: String
    /// The output's term for an account, such as `team`.
    package let accountName: String

    package init(name: String, accountName: String) {
        self.name = name
        self.accountName = accountName
    }
}
