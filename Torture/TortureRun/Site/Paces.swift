import Foundation
import PostgresClient
import Store
import TestSupport

/// Says how fast apps may be sent to, as an operator does: until the database says that it has been done.
struct Paces: Sendable {
    private let repository: AppRepository

    init(pool: PostgresPool) { repository = AppRepository(pool) }

    /// - Parameter app: counted from 0.
    func set(_ pace: AppPace?, of app: Int) async throws {
        let bundleID = Workload.apps[app].bundleID
        try await eventually("a rate for \(bundleID)", within: .seconds(120)) {
            do {
                _ = try await repository.change(
                    bundleID, [.rate(pace?.rate), .rateIncludesUrgent(pace?.includesUrgent ?? false)])
                return true
            } catch {
                // The database is away.
                try await Task.sleep(for: .milliseconds(200))
                return false
            }
        }
    }
}
