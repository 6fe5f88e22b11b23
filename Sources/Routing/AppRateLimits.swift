/// The rate limits and pauses of all apps at one moment. They are separate from the ``Snapshot``, so that a component
/// that keeps them does not also keep secrets.
package final class AppRateLimits: Sendable {
    package static let none = AppRateLimits([])

    private let rateLimits: [String: AppRateLimit]
    private let paused: Set<String>

    init(_ apps: [App]) {
        var rateLimits: [String: AppRateLimit] = [:]
        for app in apps { rateLimits[app.bundleID] = app.pace }
        self.rateLimits = rateLimits
        paused = Set(apps.lazy.filter(\.isPaused).map(\.bundleID))
    }

    package func isPaused(_ app: String) -> Bool { !paused.isEmpty && paused.contains(app) }

    package subscript(app: String) -> AppRateLimit? { rateLimits.isEmpty ? nil : rateLimits[app] }
}
