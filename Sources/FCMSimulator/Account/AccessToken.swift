/// The permissions of an issued access token.
struct AccessToken: Hashable {
    let email: String
    let project: String
    /// The expiry time in milliseconds since 1970.
    let expiresAt: Int64
    /// Whether the token's scopes permit sending messages.
    let maySend: Bool
}
