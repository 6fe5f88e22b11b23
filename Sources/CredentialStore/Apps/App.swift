public import PushModel

/// An app that pushes may be sent for: a row of `martlet.apps`.
public struct App: Sendable, Hashable, Identifiable {
    public var id: String { bundleID }

    public var bundleID: String
    /// Apple's ten-character team id.
    public var team: String
    /// Where pushes go whose job does not say.
    public var defaultEnvironment: PushEnvironment
    /// The id of a credential that goes before every other.
    public var credential: Credential.ID?
    /// The broker users who may publish for it; empty means anybody.
    public var allowedPublishers: Set<String>
    public var isPaused: Bool

    public init(
        bundleID: String, team: String, defaultEnvironment: PushEnvironment = .production,
        credential: Credential.ID? = nil, allowedPublishers: Set<String> = [], isPaused: Bool = false
    ) {
        self.bundleID = bundleID
        self.team = team
        self.defaultEnvironment = defaultEnvironment
        self.credential = credential
        self.allowedPublishers = allowedPublishers
        self.isPaused = isPaused
    }
}
