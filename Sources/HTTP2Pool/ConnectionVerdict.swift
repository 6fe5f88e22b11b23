/// What an answer says about the connection it came on.
package enum ConnectionVerdict: Sendable {
    /// It is of use.
    case keep
    /// It is of no more use, and another takes its place: at once if it has been of use, else after a back-off.
    case replace
    /// The same, because what its requests prove who we are with has expired.
    case replaceExpired
}
