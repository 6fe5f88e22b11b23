package import Store

/// The number of workers of one name in a row that ended without signing off before the latest took their place. A value
/// type without a clock.
package struct Succession: Sendable {
    /// The time after which the rows of all crashed workers have certainly become silent.
    private static let searchTime = Duration.seconds(15)
    /// The uptime after which a worker is not in a crash loop.
    private static let remembered = Duration.seconds(600)

    private let name: String
    private var count = 0
    /// The largest number that a predecessor had reported.
    private var most = 0

    package init(name: String) {
        self.name = name
    }

    /// Returns whether the database must be asked for predecessors.
    package func isOpen(after uptime: Duration) -> Bool { uptime < Self.searchTime }

    /// Records the workers whose rows are deleted. Only those of this worker's name are known to have crashed: another
    /// worker's row is also old after an outage of the database.
    package mutating func replaced(_ predecessors: [FleetMember]) {
        let own = predecessors.filter { $0.name == name }
        count += own.count
        most = max(most, own.compactMap { $0.report?.crashes }.max() ?? 0)
    }

    /// Returns the number for the worker's report, or `nil` if there is none to report.
    package func crashes(after uptime: Duration) -> Int? {
        count > 0 && uptime < Self.remembered ? count + most : nil
    }
}
