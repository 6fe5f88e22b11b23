import Store

/// The row in `martlet.workers` of a worker that does not consume jobs yet. Other workers show its state, and
/// `martlet doctor` and `martlet top` show its problems.
struct WaitingRow {
    let repository: WorkerRepository
    let worker: RunningWorker
    let report: @Sendable () -> WorkerReport

    private static let renewal = Duration.seconds(2)
    private static let afterFailure = Duration.seconds(10)

    /// Renews the row until the task is cancelled.
    func renewUntilCancelled() async {
        while !Task.isCancelled {
            // A waiting worker sends no pushes and needs no share of a quota.
            let renewed = try? await repository.renew(worker, quotas: [], report: report())
            try? await Task.sleep(for: renewed == nil ? Self.afterFailure : Self.renewal)
        }
    }
}
