/// The rate limits of all apps at one moment. They are separate from the ``Snapshot``, so that a component that keeps
/// the rate limits does not also keep secrets.
package final class AppPaces: Sendable {
    package static let none = AppPaces([])

    private let paces: [String: AppPace]

    init(_ apps: [App]) {
        var paces: [String: AppPace] = [:]
        for app in apps { paces[app.bundleID] = app.pace }
        self.paces = paces
    }

    package subscript(app: String) -> AppPace? { paces.isEmpty ? nil : paces[app] }
}
