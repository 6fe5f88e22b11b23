/// A store of the token that all users of a credential's key share. Providers limit how often a key may make a new
/// token.
public protocol SharedTokenStore: Sendable {
    /// Returns the newest token of the credential's key if it is younger than `age`. Otherwise it makes a new token,
    /// which all later requests receive. Concurrent requests cause only one new token.
    ///
    /// - Parameter age: an age in milliseconds, by the store's clock.
    /// - Parameter sign: a closure that makes the token for a time of issue.
    /// - Throws: an error, within bounded time, if no token is available. In that case no caller uses a token made by
    ///   this call.
    func token(
        of credential: Credential.ID, youngerThan age: Int64, sign: @Sendable (Timestamp) throws -> Secret
    ) async throws -> SharedToken
}
