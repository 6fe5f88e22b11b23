import Foundations
import Logging
import Observability
import ServiceLifecycle
import Store

/// A service that writes this worker's refusals to the database, where operators can read them. Deliveries never wait
/// for it.
struct RefusalService: Service {
    /// The interval at which all rows are written again. The repetition keeps the rows valid and retries failed writes.
    private static let renewal = Duration.seconds(60)

    let refusalRegistry: RefusalRegistry
    let repository: RefusalRepository
    let worker: String
    let failures: OngoingFailures
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                // Writes are sequential, so that an older state never overwrites a newer one.
                group.addTask { for await _ in refusalRegistry.changes { await write() } }
                group.addTask {
                    while (try? await Task.sleep(for: Self.renewal)) != nil { refusalRegistry.renew() }
                }
            }
        }
        if Task.isCancelled || !refusalRegistry.hasReported { return }
        // If the removal fails, the rows stay valid for up to 150 seconds (`RefusalRepository.validSeconds`).
        try? await repository.remove(worker: worker)
    }

    private func write() async {
        let refusals = refusalRegistry.refusals
        let ended = refusalRegistry.takeEnded()
        do {
            try await repository.write(refusals, ended: ended, worker: worker)
            failures.ended(
                .refusalsRecorded, "Refused credentials can be recorded again", after: .refusalsUnrecorded, to: logger)
        } catch {
            refusalRegistry.restore(ended: ended)
            if Task.isCancelled { return }
            failures.began(
                .refusalsUnrecorded, "Refused credentials could not be recorded", "\(error)", to: logger)
        }
    }
}
