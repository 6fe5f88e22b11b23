/// The rate limits of all apps at one moment. They are separate from the ``Snapshot``, so that a component that keeps
/// the rate limits does not also keep secrets.
package final class AppRateLimits: Sendable {
    package static let none = AppRateLimits([])

    private let rateLimits: [String: AppRateLimit]

    init(_ apps: [App]) {
        var rateLimits: [String: AppRateLimit] = [:]
        for app in apps { rateLimits[app.bundleID] = app.pace }
        self.rateLimits = rateLimits
    }

    package subscript(app: String) -> AppRateLimit? { rateLimits.isEmpty ? nil : rateLimits[app] }
}
