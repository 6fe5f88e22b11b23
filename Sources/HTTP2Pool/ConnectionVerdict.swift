/// The consequence that an answer has for the connection on which it arrived.
package enum ConnectionVerdict: Sendable {
    /// The connection is usable.
    case keep
    /// The connection is unusable and is replaced: at once if it was proven before, and otherwise after a back-off.
    case replace
    /// The connection is replaced as for ``replace``. The credentials in its requests have expired.
    case replaceExpired
}
