package import Foundations
package import Logging
package import Observability
import PostgresClient
import ServiceLifecycle
package import Store

/// A service that renews this worker's row every two seconds and reads how many workers share its quotas. It also does
/// so when this worker starts using a quota, and when another worker starts or stops using one. Deliveries never wait
/// for the service.
package struct FleetService: Service {
    package struct Pace: Sendable {
        package var renewal = Duration.seconds(2)
        /// The minimum time between two renewals, even if other workers start or stop using quotas more often.
        package var atMostEvery = Duration.milliseconds(500)
        /// The back-off while the database does not answer.
        package var away = Backoff(first: .seconds(1), longest: .seconds(5), jitter: 0.5)
        /// The back-off while this worker lacks a permission that an operator must grant.
        package var refused = Backoff(first: .seconds(10), longest: .seconds(300), jitter: 0.1)
        /// The time for which a stopping worker tries to delete its row.
        package var signOff = Duration.seconds(6)

        package init() {}
    }

    private enum Obstacle {
        case away
        case refused
    }

    /// The maximum time between two signals of the listener for changes. It may be long, because the row is renewed
    /// much more often in any case.
    private static let longestSilence = Duration.seconds(3_600)

    private let quotaShares: QuotaShareTable
    private let changes: ChangeListener
    private let repository: WorkerRepository
    private let worker: RunningWorker
    private let pace: Pace
    private let sharesQuotas: @Sendable () -> Bool
    private let report: @Sendable () -> WorkerReport?
    private let logger: Logger

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - sharesQuotas: returns whether the worker sends pushes and therefore counts for its quotas.
    ///   - report: returns the worker's report for its row, or `nil` if it has none.
    package init(
        quotaShares: QuotaShareTable, changes: ChangeListener, repository: WorkerRepository, worker: RunningWorker,
        pace: Pace = Pace(), sharesQuotas: @escaping @Sendable () -> Bool = { true },
        report: @escaping @Sendable () -> WorkerReport? = { nil }, logger: Logger
    ) {
        self.quotaShares = quotaShares
        self.changes = changes
        self.repository = repository
        self.worker = worker
        self.pace = pace
        self.sharesQuotas = sharesQuotas
        self.report = report
        self.logger = logger
    }

    package func run() async throws {
        let news = changes.signals(of: ["workers"], atLeastEvery: Self.longestSilence)
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for await _ in news { quotaShares.look() } }
                group.addTask { await renewUntilCancelled() }
            }
        }
        if Task.isCancelled { return }
        await signOff()
    }

    /// Deletes the worker's row. If that fails, the other workers count this worker for a few more seconds, and then
    /// report it as gone.
    private func signOff() async {
        let deadline = ContinuousClock.now + pace.signOff
        while true {
            do {
                return try await repository.remove(worker)
            } catch {
                guard !Task.isCancelled, ContinuousClock.now < deadline else {
                    return logger.warning(
                        .rowKept, "This worker could not delete its row, so the fleet reports it as gone",
                        metadata: ["error": "\(error)", "cure": "martlet top --forget \(worker.name)"])
                }
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    private func renewUntilCancelled() async {
        var (pace, obstacle, succession) = (pace, Obstacle?.none, Succession(name: worker.name))
        var timer: Task<Void, Never>?
        defer { timer?.cancel() }
        var notBefore = ContinuousClock.now
        for await _ in quotaShares.signals {
            timer?.cancel()
            // The first signal is handled immediately. Signals that follow within the minimum time are handled
            // together.
            try? await Task.sleep(until: notBefore)
            notBefore = .now + pace.atMostEvery
            let wait = await renew(&pace, &obstacle, &succession)
            timer = Task { [quotaShares] in
                if (try? await Task.sleep(for: wait)) != nil { quotaShares.look() }
            }
        }
    }

    /// Renews the worker's row and records the number of workers for each quota.
    ///
    /// - Returns: the time to wait before the next renewal.
    private func renew(
        _ pace: inout Pace, _ obstacle: inout Obstacle?, _ succession: inout Succession
    ) async -> Duration {
        do {
            let uptime = ContinuousClock.now - worker.start
            if succession.isOpen(after: uptime) {
                succession.replaced(try await repository.replaceSilent(by: worker))
            }
            var report = report()
            report?.crashes = succession.crashes(after: uptime)
            let quotas = sharesQuotas() ? quotaShares.names() : []
            quotaShares.counted(try await repository.renew(worker, quotas: quotas, report: report))
            if obstacle != nil { logger.notice(.fleetKnown, "The table martlet.workers can be read again") }
            obstacle = nil
            pace.away.succeeded()
            pace.refused.succeeded()
            return pace.renewal
        } catch {
            if Task.isCancelled { return pace.renewal }
            if (error as? PostgresError)?.needsRights == true {
                quotaShares.refused()
                if obstacle != .refused {
                    logger.warning(
                        .fleetForbidden, "No right to martlet.workers; this worker assumes that it is the only one",
                        metadata: [
                            "error": "\(error)", "sql": "GRANT SELECT, INSERT, UPDATE, DELETE ON martlet.workers",
                        ])
                }
                obstacle = .refused
                return pace.refused.failed(random: .random(in: 0...1))
            }
            quotaShares.failed(FleetView.Obstacle(error))
            if obstacle == nil {
                logger.warning(
                    .fleetUnknown, "The table martlet.workers cannot be read; retrying",
                    metadata: ["error": "\(error)"])
            }
            obstacle = .away
            return pace.away.failed(random: .random(in: 0...1))
        }
    }
}

extension FleetView.Obstacle {
    /// Creates the obstacle that an error shows. The codes are in postgresql.org, "PostgreSQL Error Codes": 25006 is
    /// `read_only_sql_transaction`. Codes that begin with 08 or 57P mean that the connection failed.
    fileprivate init(_ error: any Error) {
        guard let error = error as? PostgresError, error.code == .server, let state = error.sqlState else {
            self = .away
            return
        }
        if state == "25006" {
            self = .readOnly
        } else {
            self = state.hasPrefix("08") || state.hasPrefix("57P") ? .away : .failed("\(error)")
        }
    }
}

extension PostgresError {
    /// Whether a permission, a table or the schema is missing, which only an operator can correct.
    fileprivate var needsRights: Bool { sqlState.map { $0.hasPrefix("42") || $0 == "3F000" } ?? false }
}
