package import Metering
import Threading

/// What all connections to a database count together: rarely enough for a lock, which makes each of them the one writer
/// for a moment.
package final class PostgresMeter: Sendable {
    private struct Cells {
        let isUp: MetricCell
        let connected, connectFailed: MetricCell
        let queries: MetricHistogram
    }

    private let cells: Mutex<Cells>

    package init(_ registry: MetricRegistry) {
        cells = Mutex(
            Cells(
                isUp: registry.cell(.databaseUp), connected: registry.cell(.connects, ["database", "ok"]),
                connectFailed: registry.cell(.connects, ["database", "failed"]), queries: registry.histogram(.queries)))
    }

    func connected() {
        cells.withLock { cells in
            cells.connected.add()
            cells.isUp.set(1)
        }
    }

    func couldNotConnect() {
        cells.withLock { cells in
            cells.connectFailed.add()
            cells.isUp.set(0)
        }
    }

    /// - Parameter isAnswered: false: the connection was lost, or given up.
    func asked(for time: Duration, isAnswered: Bool) {
        cells.withLock { cells in
            cells.queries.observe(Int(time / .milliseconds(1)))
            cells.isUp.set(isAnswered ? 1 : 0)
        }
    }
}
