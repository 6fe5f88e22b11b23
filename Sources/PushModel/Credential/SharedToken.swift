/// A signed token from a ``SharedTokenStore``.
public struct SharedToken: Sendable, Hashable {
    public let token: Secret
    /// The token's time of issue (its `iat` claim), by the store's clock.
    public let issuedAt: Timestamp
    /// The age of the token when it was read, in milliseconds by the store's clock. A reader whose clock differs from
    /// the store's can rely on it.
    public let age: Int64

    public init(token: Secret, issuedAt: Timestamp, age: Int64) {
        self.token = token
        self.issuedAt = issuedAt
        self.age = age
    }
}
