/// The answer to a ``ClaimRequest``.
package enum ClaimAnswer: Sendable, Hashable {
    case claimed
    /// Another owner holds the name. The contents are equal, or one of them is unknown.
    case taken
    /// Another owner holds the name for different content.
    case differs
}
