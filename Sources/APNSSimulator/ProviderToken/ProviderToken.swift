/// A provider token whose signature has been verified.
package struct ProviderToken: Hashable, Sendable {
    package let team: String
    package let keyID: String
    /// Seconds since 1970.
    package let issuedAt: Int64
    /// Tells tokens of the same second apart: the text of the token itself.
    package let text: [UInt8]
    /// Of its key.
    package let scope: TokenKey.Scope

    package init(
        team: String, keyID: String, issuedAt: Int64, text: [UInt8], scope: TokenKey.Scope = TokenKey.Scope()
    ) {
        self.scope = scope
        self.team = team
        self.keyID = keyID
        self.issuedAt = issuedAt
        self.text = text
    }
}
