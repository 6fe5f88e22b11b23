/// The apps that are paced, at one moment. Apart from the ``Snapshot``, so that whoever keeps it keeps no secrets.
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
