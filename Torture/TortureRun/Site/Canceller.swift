import PostgresClient
import Store

/// Cancels jobs as an operator does: until the database says that it has been done.
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
                // The database is away.
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
    }
}
