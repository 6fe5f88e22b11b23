/// The answer to a ``ClaimRequest``.
public enum ClaimAnswer: Sendable, Hashable {
    case claimed
    /// Another owner holds the name. As far as the contents are known, they are equal.
    case taken
    /// Another owner holds the name for a different content.
    case differs
}
