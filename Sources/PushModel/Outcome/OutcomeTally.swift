package import Metering

/// Where an app's outcomes are counted; goes with each of its jobs, so that a push looks nothing up. Written on the
/// pipeline's queue only.
package final class OutcomeTally: Sendable {
    /// By the place of their kind.
    private let cells: [MetricCell]

    /// Counts nothing.
    package static let none = OutcomeTally([])

    package init(_ cells: [MetricCell]) {
        self.cells = cells
    }

    package func count(_ kind: Int, _ count: Int = 1) {
        if kind < cells.count { cells[kind].add(count) }
    }
}
