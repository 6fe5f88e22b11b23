/// The answer to a ``ClaimRequest``.
package enum ClaimAnswer: Sendable, Hashable {
    case claimed
    /// Another owner holds the name, and its content is equal or unknown.
    case taken
    /// Another owner holds the name for different content.
    case differs
}
