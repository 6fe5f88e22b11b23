/// The meaning of a request's `authorization` field.
enum Bearer: Hashable {
    case missing
    /// The field has no bearer token, or the token is unknown or revoked.
    case unknown
    case known(AccessToken)
}
