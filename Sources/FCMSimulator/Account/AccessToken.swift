/// What a bearer may do.
struct AccessToken: Hashable {
    let email: String
    let project: String
    /// Milliseconds since 1970.
    let expiresAt: Int64
    /// Whether its scopes let it send messages.
    let maySend: Bool
}
