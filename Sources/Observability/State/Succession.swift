package import Store

/// A counter of a worker's crashed predecessors, which are consecutive workers with the same name that ended without a
/// clean shutdown. A value type without clock or I/O.
package struct Succession: Sendable {
    /// The uptime up to which a worker looks for crashed predecessors. After this time, the rows of all crashed
    /// predecessors have become silent.
    private static let searchTime = Duration.seconds(15)
    /// The uptime after which a worker no longer counts as part of a crash loop.
    private static let remembered = Duration.seconds(600)

    private let name: String
    private var count = 0
    /// The largest number of crashes that a replaced worker had reported.
    private var most = 0

    package init(name: String) {
        self.name = name
    }

    /// Returns whether the worker must still look for crashed predecessors.
    package func isOpen(after uptime: Duration) -> Bool { uptime < Self.searchTime }

    /// Records the workers whose rows were deleted. Only workers with the name of this worker count as crashed. The row
    /// of any other worker may be old because of a database outage instead of a crash.
    package mutating func replaced(_ predecessors: [FleetMember]) {
        let own = predecessors.filter { $0.name == name }
        count += own.count
        most = max(most, own.compactMap { $0.report?.crashes }.max() ?? 0)
    }

    /// Returns the number of crashes for the worker's report, or `nil` if there were none or the worker has run long
    /// enough.
    package func crashes(after uptime: Duration) -> Int? {
        count > 0 && uptime < Self.remembered ? count + most : nil
    }
}
