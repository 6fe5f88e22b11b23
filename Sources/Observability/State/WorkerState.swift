package import DeliveryPipeline
import PushModel
package import Store
import Foundations
package import Routing

/// The state of a worker, for its HTTP endpoints and its report to other workers.
package final class WorkerState: Sendable {
    private enum Stage {
        case waiting(String)
        case working(JobPipeline, SnapshotStore, since: ContinuousClock.Instant)
    }

    private let stage = Mutex(Stage.waiting("starting"))
    private let pulse = Mutex(Pulse())
    private let clock = Mutex(ClockReading())

    package init() {}

    /// Records that the worker can't process jobs yet.
    ///
    /// - Parameter reason: the reason, which `/ready` shows.
    package func waits(_ reason: String) {
        stage.withLock { $0 = .waiting(reason) }
    }

    package func works(_ pipeline: JobPipeline, _ snapshots: SnapshotStore) {
        stage.withLock { $0 = .working(pipeline, snapshots, since: .now) }
    }

    /// Whether the worker has a pipeline. Without a pipeline, the worker waits for its database or its keyring.
    package var isWorking: Bool {
        if case .working = stage.withLock({ $0 }) { true } else { false }
    }

    /// The reason why the worker is not ready, or `nil` if it consumes jobs and can publish.
    package var obstacle: String? {
        switch stage.withLock({ $0 }) {
        case .waiting(let reason): reason
        case .working(let pipeline, _, _): pipeline.counts.obstacle
        }
    }

    package var counts: PipelineCounts {
        if case .working(let pipeline, _, _) = stage.withLock({ $0 }) { pipeline.counts } else { PipelineCounts() }
    }

    /// The time by which this machine's clock is ahead of the database's, in milliseconds, or `nil` if it is unknown.
    var clockAhead: Int? { clock.withLock { $0.ahead(at: .now) } }

    package func clockIs(ahead milliseconds: Int) { clock.withLock { $0.saw(ahead: milliseconds, at: .now) } }

    /// The time of the last successful read of apps and credentials, in milliseconds since 1970, or 0 if there was
    /// none.
    var lastLook: Int {
        guard case .working(_, let snapshots, _) = stage.withLock({ $0 }) else { return 0 }
        return Int(snapshots.lastLook.milliseconds)
    }

    package var credentials: [CredentialSummary] {
        guard case .working(_, let snapshots, _) = stage.withLock({ $0 }) else { return [] }
        return snapshots.current.credentialSummaries
    }

    /// Whether pushes were retried or held in the last minute.
    var isAnyPushDelayed: Bool { pulse.withLock { $0.minute["retried"] + $0.minute["held"] > 0 } }

    /// Reads the pipeline's counters. Must be called once every ``Pulse/interval``.
    func beat() {
        guard case .working(let pipeline, _, _) = stage.withLock({ $0 }) else { return }
        let counts = pipeline.counts
        pulse.withLock { $0.beat(counts, at: .now) }
    }

    /// Sets the properties of `facts` that describe the pipeline, the snapshot and the clock.
    func fill(_ facts: inout StatusFacts, outputs: [any OutputPlugin]) {
        switch stage.withLock({ $0 }) {
        case .waiting(let reason): facts.stage = .waiting(reason)
        case .working(let pipeline, let snapshots, let since):
            let (snapshot, pulse) = (snapshots.current, pulse.withLock { $0 })
            facts.workingSeconds = Int((.now - since) / .seconds(1))
            (facts.counts, facts.view) = (pipeline.counts, pipeline.view)
            facts.clockAhead = clockAhead
            (facts.minute, facts.rate) = (pulse.minute, pulse.rate)
            facts.credentials = snapshot.credentialSummaries
            facts.unreadableRows = snapshot.unreadableRows.sorted()
            facts.openingProblems = snapshot.openingProblems.subtracting(facts.unreadableRows).sorted()
            facts.keptBecause = snapshot.keptBecause.subtracting(facts.unreadableRows).sorted()
            facts.apps = AppFacts.all(in: snapshot, with: outputs, at: facts.now)
        }
    }

    /// Returns the report for this worker's row in the table of workers.
    package func report(host: String, pid: Int, problems: [WorkerReport.ProblemReport]) -> WorkerReport {
        let pipeline: JobPipeline
        switch stage.withLock({ $0 }) {
        case .waiting(let reason):
            return WorkerReport(host: host, pid: pid, state: .starting, obstacle: reason, problems: problems)
        case .working(let working, _, _): pipeline = working
        }
        let (counts, view, pulse) = (pipeline.counts, pipeline.view, pulse.withLock { $0 })
        let obstacle = counts.obstacle
        return WorkerReport(
            host: host, pid: pid, state: view.isDraining ? .draining : obstacle == nil ? .ready : .hindered,
            obstacle: view.isDraining ? nil : obstacle,
            lanes: view.lanes.map {
                .init(lane: $0.lane, waiting: $0.waiting, open: $0.open, rate: $0.rate, age: $0.age)
            },
            rate: pulse.rate, minute: pulse.minute.counts, oldestJobSeconds: counts.oldestJobSeconds,
            problems: problems)
    }
}
