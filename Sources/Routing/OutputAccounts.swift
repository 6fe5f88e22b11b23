/// The name of an output whose accounts have credentials, and its term for an account.
package struct OutputAccounts: Sendable, Hashable {
    package let name: String
    /// The output's term for an account, such as `team`.
    package let accountName: String

    package init(name: String, accountName: String) {
        self.name = name
        self.accountName = accountName
    }
}
