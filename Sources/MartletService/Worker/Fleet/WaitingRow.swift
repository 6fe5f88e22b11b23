import Store

/// The row in `martlet.workers` of a worker that does not consume jobs yet. Other workers show its state, and
/// `martlet doctor` and `martlet top` show its problems.
struct WaitingRow {
    let repository: WorkerRepository
    let worker: RunningWorker
    let report: @Sendable () -> WorkerReport

    private static let renewal = Duration.seconds(2)

    /// Renews the row until the task is cancelled.
    func renewUntilCancelled() async {
        repeat {
            // A waiting worker sends no pushes and needs no share of a quota. The next renewal retries a failed write.
            _ = try? await repository.renew(worker, quotas: [], report: report())
        } while (try? await Task.sleep(for: Self.renewal)) != nil
    }
}
