import PushModel
import Store
import Threading

/// Among how many workers each quota is divided. Asked by outputs, on whatever thread they are; told by ``FleetService``.
package final class QuotaBoard: QuotaShares {
    private struct State {
        var census = QuotaCensus()
        var renewedAt: ContinuousClock.Instant?
        var obstacle: FleetView.Obstacle?
    }

    /// What all workers share, whatever their outputs: among so many apps' rates are divided.
    private static let fleet = "fleet"

    private let state = Mutex(State())
    /// One element for each time to look at the database, or fewer.
    let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    package init() {
        (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    package func workers(sharing name: String) -> Int? {
        let (workers, isNew) = state.withLock { $0.census.ask(name, now: .now) }
        if isNew { look() }
        return workers
    }

    /// How many run, this one among them; nil: not known yet.
    package var workers: Int? { state.withLock { $0.census.workers[Self.fleet] } }

    /// For the metrics.
    package var view: FleetView {
        state.withLock { state in
            let isKnown = state.renewedAt.map { .now - $0 < .seconds(WorkerRepository.staleSeconds) } ?? false
            return FleetView(
                isKnown: isKnown, obstacle: state.obstacle, quotas: state.census.workers.filter { $0.key != Self.fleet }
            )
        }
    }

    func look() { signal.yield() }

    /// Those in use.
    func names() -> [String] {
        state.withLock { state in
            _ = state.census.ask(Self.fleet, now: .now)
            return state.census.names(now: .now)
        }
    }

    func counted(_ counts: [String: Int]) {
        state.withLock { state in
            (state.renewedAt, state.obstacle) = (.now, nil)
            state.census.counted(counts, now: .now)
        }
    }

    func failed(_ obstacle: FleetView.Obstacle) {
        state.withLock { state in
            state.obstacle = obstacle
            state.census.failed()
        }
    }

    func refused() {
        state.withLock { state in
            state.obstacle = .refused
            state.census.refused()
        }
    }
}
