/// A provider token whose signature has been verified.
package struct ProviderToken: Hashable, Sendable {
    package let team: String
    package let keyID: String
    /// The time of issue, in seconds since 1970.
    package let issuedAt: Int64
    /// The bytes of the token. They distinguish tokens that were issued in the same second.
    package let text: [UInt8]
    /// The scope of the key that signed the token.
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
