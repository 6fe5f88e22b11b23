import Foundation
import PostgresClient
import Store
import TestSupport
import Routing

/// The rate limits of apps in the database. Like an operator, it retries until the database confirms a change.
struct Paces: Sendable {
    private let repository: AppRepository

    init(pool: PostgresPool) { repository = AppRepository(pool) }

    /// Sets the rate limit of an app, or removes it if `pace` is `nil`.
    ///
    /// - Parameter app: the number of the app, from 0.
    func set(_ pace: AppRateLimit?, of app: Int) async throws {
        let bundleID = Workload.apps[app].bundleID
        try await eventually("a rate for \(bundleID)", within: .seconds(120)) {
            do {
                _ = try await repository.change(
                    bundleID, [.rate(pace?.rate), .rateIncludesUrgent(pace?.includesUrgent ?? false)])
                return true
            } catch {
                // The database is unavailable, so the change is repeated.
                try await Task.sleep(for: .milliseconds(200))
                return false
            }
        }
    }
}
