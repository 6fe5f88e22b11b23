/// Where the token comes from that all users of a credential's key share: providers limit how often a key makes one.
public protocol SharedTokenStore: Sendable {
    /// The newest token of the credential's key if it is younger than `age`, else a new one, which from then on
    /// is the newest for everybody. However many ask at once, one token is made.
    ///
    /// - Parameter age: in milliseconds, by the store's clock.
    /// - Parameter sign: makes the token for a time of issue.
    /// - Throws: when no token can be had, within bounded time; none has been made then that anybody uses.
    func token(
        of credential: Credential.ID, youngerThan age: Int64, sign: @Sendable (Timestamp) throws -> Secret
    ) async throws -> SharedToken
}

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
