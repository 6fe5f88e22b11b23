package import Store

/// The number of workers in a row that ended without signing off before this one took their place. A value: no clock.
package struct Succession {
    /// The time after which a crashed worker's row has certainly become silent.
    private static let searchTime = Duration.seconds(15)
    /// A worker that runs for longer is not in a crash loop.
    private static let remembered = Duration.seconds(600)

    private var crashes = 0

    package init() {}

    /// Returns whether the database must be asked for predecessors.
    package func isOpen(after uptime: Duration) -> Bool { crashes == 0 && uptime < Self.searchTime }

    /// Records the workers whose place this one takes.
    package mutating func replaced(_ predecessors: [FleetMember]) {
        guard !predecessors.isEmpty else { return }
        crashes = predecessors.count + (predecessors.compactMap { $0.report?.crashes }.max() ?? 0)
    }

    /// Returns the number for the worker's report, or `nil` for none.
    package func crashes(after uptime: Duration) -> Int? {
        crashes > 0 && uptime < Self.remembered ? crashes : nil
    }
}
