import PostgresClient
import Store

/// A canceller of jobs. Like an operator, it retries until the database confirms the cancellation.
struct Canceller: Sendable {
    private let repository: CancellationRepository
    private let log: RunLog

    init(pool: PostgresPool, log: RunLog) {
        repository = CancellationRepository(pool)
        self.log = log
    }

    func cancel(_ job: Int) async {
        while !Task.isCancelled {
            do {
                _ = try await repository.cancel(JobPlan.id(job))
                return log.cancelled(job)
            } catch {
                // The database is unavailable, so the cancellation is repeated.
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
    }
}
