/// A signed token as a ``SharedTokenStore`` gives it.
public struct SharedToken: Sendable, Hashable {
    public let token: Secret
    /// Its `iat`, by the store's clock.
    public let issuedAt: Timestamp
    /// How old it was when it was read, in milliseconds by the store's clock: whoever reads it needs no clock
    /// that agrees with the store's.
    public let age: Int64

    public init(token: Secret, issuedAt: Timestamp, age: Int64) {
        self.token = token
        self.issuedAt = issuedAt
        self.age = age
    }
}
