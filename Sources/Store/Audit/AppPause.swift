package import PushModel

/// An app that an operator has paused.
package struct AppPause: Sendable, Hashable {
    package let app: String
    /// The time at which the app was paused, or `nil` if the audit does not contain it.
    package let since: Timestamp?
    /// The database role that paused the app, or `nil` if the audit does not contain it.
    package let by: String?

    package init(app: String, since: Timestamp?, by: String?) {
        (self.app, self.since, self.by) = (app, since, by)
    }

    /// The time of the pause and the role that paused the app, or an empty string if neither is known.
    package var details: String {
        [since.map { "since \($0.rfc3339)" }, by.map { "by \($0)" }].compactMap(\.self).joined(separator: ", ")
    }

    /// The bundle id of the app, followed by ``details`` in parentheses if there are any.
    package var text: String { details.isEmpty ? app : "\(app) (\(details))" }
}
