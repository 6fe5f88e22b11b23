/// A store of signed tokens. All workers that use a key share one token, because providers limit how often a new token
/// may be made with a key.
public protocol SharedTokenStore: Sendable {
    /// Returns the newest token made with the credential's key if the token is younger than `age`. Otherwise makes a
    /// new token, which all later requests receive. Concurrent requests cause only one new token.
    ///
    /// - Parameter age: the age at or above which a token is replaced, in milliseconds by the store's clock.
    /// - Parameter sign: a closure that signs a token with the given time of issue.
    /// - Throws: an error if no token is available within a limited time. A token that this call made is then
    ///   discarded.
    func token(
        of credential: Credential.ID, youngerThan age: Int64, sign: @Sendable (Timestamp) throws -> Secret
    ) async throws -> SharedToken
}
