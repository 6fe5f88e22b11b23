/// The contents of an `authorization` field.
enum Bearer: Hashable {
    case missing
    /// The token is unknown, revoked or no longer valid.
    case unknown
    case known(AccessToken)
}
