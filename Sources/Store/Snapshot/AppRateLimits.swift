/// The rate limits of all apps at one moment. They are separate from the ``Snapshot``, so that a component that keeps
/// the rate limits does not also keep secrets.
package final class AppRateLimits: Sendable {
    package static let none = AppRateLimits([])

    private let paces: [String: AppRateLimit]

    init(_ apps: [App]) {
        var paces: [String: AppRateLimit] = [:]
        for app in apps { paces[app.bundleID] = app.pace }
        self.paces = paces
    }

    package subscript(app: String) -> AppRateLimit? { paces.isEmpty ? nil : paces[app] }
}
