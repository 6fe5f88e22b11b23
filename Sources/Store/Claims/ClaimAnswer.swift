public enum ClaimAnswer: Sendable, Hashable {
    case claimed
    /// Somebody else has claimed the same.
    case taken
    /// Somebody else has claimed the name for another content.
    case differs
}
