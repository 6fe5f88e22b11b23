import Foundations
import Logging
import ServiceLifecycle
import Store

/// A service that deletes old rows from the database once per hour. Every worker runs it, so that the fleet needs no
/// leader.
struct MaintenanceService: Service {
    private static let interval = Duration.seconds(3600)

    let claims: ClaimRepository
    let cancellations: CancellationRepository
    let workers: WorkerRepository
    let failures: OngoingFailures
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: Self.interval)) != nil {
                do {
                    try await claims.forgetExpired()
                    try await cancellations.forgetExpired()
                    try await workers.forgetStale()
                    failures.ended(
                        .clearedAgain, "Old rows can be deleted again", after: .clearingFailed, to: logger)
                } catch {
                    if Task.isCancelled { return }
                    failures.began(.clearingFailed, "Old rows could not be deleted", "\(error)", to: logger)
                }
            }
        }
    }
}
