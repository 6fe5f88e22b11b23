public import PushModel

/// An app that an operator has paused.
public struct AppPause: Sendable, Hashable {
    public let app: String
    /// The time at which the app was paused, or `nil` if the audit does not have it.
    public let since: Timestamp?
    /// The database role that paused the app, or `nil` if the audit does not have it.
    public let by: String?

    public init(app: String, since: Timestamp?, by: String?) {
        (self.app, self.since, self.by) = (app, since, by)
    }
}
