public import PushModel

/// An app that an operator has paused.
public struct AppPause: Sendable, Hashable {
    public let app: String
    /// The time at which the app was paused, or `nil` if the audit does not contain it.
    public let since: Timestamp?
    /// The database role that paused the app, or `nil` if the audit does not contain it.
    public let by: String?

    public init(app: String, since: Timestamp?, by: String?) {
        (self.app, self.since, self.by) = (app, since, by)
    }

    /// The time of the pause and the role that paused the app, or an empty string if neither is known.
    public var details: String {
        [since.map { "since \($0.rfc3339)" }, by.map { "by \($0)" }].compactMap(\.self).joined(separator: ", ")
    }

    /// The bundle id of the app, followed by ``details`` in parentheses if there are any.
    public var text: String { details.isEmpty ? app : "\(app) (\(details))" }
}
