/// What an `authorization` field says.
enum Bearer: Hashable {
    case missing
    /// Not one of ours, or not any more.
    case unknown
    case known(AccessToken)
}
