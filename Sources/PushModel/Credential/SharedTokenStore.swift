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
