import DeliveryPipeline
import Store
import Threading

/// How far a worker has come, for whoever asks over HTTP.
final class WorkerState: Sendable {
    private enum Stage {
        case waiting(String)
        case working(DeliveryPipeline, SnapshotStore)
    }

    private let stage = Mutex(Stage.waiting("starting"))

    /// - Parameter reason: what it waits for before it can work.
    func waits(_ reason: String) {
        stage.withLock { $0 = .waiting(reason) }
    }

    func works(_ pipeline: DeliveryPipeline, _ snapshots: SnapshotStore) {
        stage.withLock { $0 = .working(pipeline, snapshots) }
    }

    /// nil: it consumes and can publish.
    var obstacle: String? {
        switch stage.withLock({ $0 }) {
        case .waiting(let reason): return reason
        case .working(let pipeline, _):
            let counts = pipeline.counts
            if counts.isConsuming && counts.isPublishing { return nil }
            return "consuming: \(counts.isConsuming), publishing: \(counts.isPublishing)"
        }
    }

    var counts: PipelineCounts {
        if case .working(let pipeline, _) = stage.withLock({ $0 }) { pipeline.counts } else { PipelineCounts() }
    }

    var credentials: [CredentialSummary] {
        guard case .working(_, let snapshots) = stage.withLock({ $0 }) else { return [] }
        return snapshots.current.credentialSummaries
    }
}
