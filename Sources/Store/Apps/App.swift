public import PushModel

/// An app that pushes may be sent for: a row of `martlet.apps`, and one of `martlet.app_accounts` for each output that
/// needs a credential.
public struct App: Sendable, Hashable, Identifiable {
    public var id: String { bundleID }

    public var bundleID: String
    /// By the output's name.
    public var accounts: [String: AppAccount]
    /// Where pushes go whose job does not say.
    public var defaultEnvironment: PushEnvironment
    /// The broker users who may publish for it; empty means anybody.
    public var allowedPublishers: Set<String>
    public var isPaused: Bool
    /// nil: as fast as may be.
    public var pace: AppPace?
    /// Why its row can't be read: then nothing but its name is known, and its jobs wait.
    public var unreadable: StoreError?

    public init(
        bundleID: String, accounts: [String: AppAccount] = [:], defaultEnvironment: PushEnvironment = .production,
        allowedPublishers: Set<String> = [], isPaused: Bool = false, pace: AppPace? = nil
    ) {
        self.bundleID = bundleID
        self.accounts = accounts
        self.defaultEnvironment = defaultEnvironment
        self.allowedPublishers = allowedPublishers
        self.isPaused = isPaused
        self.pace = pace
    }
}
