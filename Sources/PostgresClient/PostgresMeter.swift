package import Metering
import Foundations

/// The metrics that all connections to a database share. A lock ensures that only one connection updates them at a
/// time. Updates are rare, so the lock costs little.
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

    /// Records a request in the metrics.
    ///
    /// - Parameters:
    ///   - time: the duration of the request.
    ///   - isAnswered: whether the server answered. It is `false` if the connection was lost or the request was
    ///     abandoned.
    func asked(for time: Duration, isAnswered: Bool) {
        cells.withLock { cells in
            cells.queries.observe(Int(time / .milliseconds(1)))
            cells.isUp.set(isAnswered ? 1 : 0)
        }
    }
}
