import PushModel
import Store
import Foundations

/// A thread-safe table of the number of workers that share each quota. Outputs read the table, and `FleetService`
/// updates it.
package final class QuotaShareTable: QuotaShares {
    private struct State {
        var census = QuotaCensus()
        var renewedAt: ContinuousClock.Instant?
        var obstacle: FleetView.Obstacle?
    }

    /// The name of the quota that all workers share, regardless of their outputs. The rate limits of apps are divided
    /// by the number of workers that share it.
    private static let fleet = "fleet"

    private let state = Mutex(State())
    /// A stream with an element whenever the worker's row must be renewed. Several requests may be merged into one
    /// element.
    package let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    package init() {
        (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    package func workers(sharing name: String) -> Int? {
        let (workers, isNew) = state.withLock { $0.census.ask(name, now: .now) }
        if isNew { look() }
        return workers
    }

    /// The number of workers that process jobs, including this worker, or `nil` if it is unknown.
    package var workers: Int? { state.withLock { $0.census.workers[Self.fleet] } }

    /// The state of the fleet, for the metrics and the status page.
    package var view: FleetView {
        state.withLock { state in
            let isKnown = state.renewedAt.map { .now - $0 < .seconds(WorkerRepository.staleSeconds) } ?? false
            return FleetView(
                isKnown: isKnown, obstacle: state.obstacle, quotas: state.census.workers.filter { $0.key != Self.fleet }
            )
        }
    }

    package func look() { signal.yield() }

    /// Returns the names of the quotas in use, including the quota that all workers share.
    package func names() -> [String] {
        state.withLock { state in
            _ = state.census.ask(Self.fleet, now: .now)
            return state.census.names(now: .now)
        }
    }

    package func counted(_ counts: [String: Int]) {
        state.withLock { state in
            (state.renewedAt, state.obstacle) = (.now, nil)
            state.census.counted(counts, now: .now)
        }
    }

    package func failed(_ obstacle: FleetView.Obstacle) {
        state.withLock { state in
            state.obstacle = obstacle
            state.census.failed()
        }
    }

    package func refused() {
        state.withLock { state in
            state.obstacle = .refused
            state.census.refused()
        }
    }
}
