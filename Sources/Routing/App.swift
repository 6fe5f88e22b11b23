package import PushModel

/// An app that may receive pushes. It is stored as a row of `martlet.apps` and, for each output that needs a
/// credential, a row of `martlet.app_accounts`.
package struct App: Sendable, Hashable, Identifiable {
    package var id: String { bundleID }

    package var bundleID: String
    /// The app's accounts, by the name of the output.
    package var accounts: [String: AppAccount]
    /// The environment for jobs that do not name one.
    package var defaultEnvironment: PushEnvironment
    /// The broker users who may publish for the app. An empty set allows every user.
    package var allowedPublishers: Set<String>
    package var isPaused: Bool
    /// The app's rate limit, or `nil` if it has none.
    package var pace: AppRateLimit?
    /// The reason why the app's row can't be read, or `nil` if it can be read. In an unreadable app only the bundle id
    /// is valid, and the app's jobs wait.
    package var unreadable: RowError?

    package init(
        bundleID: String, accounts: [String: AppAccount] = [:], defaultEnvironment: PushEnvironment = .production,
        allowedPublishers: Set<String> = [], isPaused: Bool = false, pace: AppRateLimit? = nil
    ) {
        self.bundleID = bundleID
        self.accounts = accounts
        self.defaultEnvironment = defaultEnvironment
        self.allowedPublishers = allowedPublishers
        self.isPaused = isPaused
        self.pace = pace
    }
}
