package import Metering

/// The counters of an app's outcomes. Each job refers to them, so that no push needs a look-up. Only the pipeline's
/// queue writes them.
package final class OutcomeTally: Sendable {
    /// The counters, indexed by the kind of outcome.
    private let cells: [MetricCell]

    /// A tally without counters.
    package static let none = OutcomeTally([])

    package init(_ cells: [MetricCell]) {
        self.cells = cells
    }

    package func count(_ kind: Int, _ count: Int = 1) {
        if kind < cells.count { cells[kind].add(count) }
    }
}
