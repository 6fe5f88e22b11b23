/// A provider token whose signature has been verified.
package struct ProviderToken: Hashable, Sendable {
    package let team: String
    package let keyID: String
    /// Seconds since 1970.
    package let issuedAt: Int64
    /// Tells tokens of the same second apart: the text of the token itself.
    package let text: [UInt8]

    package init(team: String, keyID: String, issuedAt: Int64, text: [UInt8]) {
        self.team = team
        self.keyID = keyID
        self.issuedAt = issuedAt
        self.text = text
    }
}
