/// A signed token that a ``SharedTokenStore`` returned.
public struct SharedToken: Sendable, Hashable {
    public let token: Secret
    /// The token's `iat`, by the store's clock.
    public let issuedAt: Timestamp
    /// The age of the token when it was read, in milliseconds by the store's clock. Readers therefore need no clock
    /// that agrees with the store's.
    public let age: Int64

    public init(token: Secret, issuedAt: Timestamp, age: Int64) {
        self.token = token
        self.issuedAt = issuedAt
        self.age = age
    }
}
