package import Foundations
package import Logging
package import PostgresClient

/// A feed of cancelled jobs. It loads all cancellations, and then reports each change shortly after it was made,
/// regardless of the program that made it. While the database is unavailable, the feed waits.
///
/// About once a day it loads all cancellations again, which discards the expired ones.
package final class CancellationFeed: Sendable {
    package enum Event: Sendable {
        /// All cancellations in force, which replace everything that the feed has reported before. They may include
        /// jobs that no earlier event contained.
        case loaded(CancelledJobs)
        /// The latest changes, in the order in which they were made. A change may be reported more than once.
        case changed([Change])
    }

    package struct Change: Sendable, Hashable {
        package let job: String
        /// Whether the job was cancelled. The value is `false` if its cancellation was withdrawn or has expired.
        package let isCancelled: Bool

        package init(job: String, isCancelled: Bool) {
            self.job = job
            self.isCancelled = isCancelled
        }
    }

    private struct Place: Sendable {
        let version: Int
        let reloadAt: ContinuousClock.Instant
    }

    private static let pageSize = 20_000

    /// The cancellations that were in force when the feed was created.
    package let initial: CancelledJobs
    private let start: Place
    private let pool: PostgresPool
    private let changes: ChangeListener
    private let pollInterval: Duration
    private let failures: OngoingFailures
    private let logger: Logger

    /// Loads the cancellations in force and returns a feed that reports all later changes.
    ///
    /// - Parameters:
    ///   - changes: the listener that signals when to read changes. The caller runs it.
    ///   - pollInterval: the longest time that a change may go unnoticed while notifications are lost.
    /// - Throws: ``PostgresError``.
    package static func load(
        from pool: PostgresPool, changes: ChangeListener, pollInterval: Duration = .seconds(2),
        failures: OngoingFailures = OngoingFailures(), logger: Logger
    ) async throws -> CancellationFeed {
        let (jobs, place) = try await load(pool, logger)
        return CancellationFeed(
            initial: jobs, start: place, pool: pool, changes: changes, pollInterval: pollInterval, failures: failures,
            logger: logger)
    }

    private init(
        initial: CancelledJobs, start: Place, pool: PostgresPool, changes: ChangeListener, pollInterval: Duration,
        failures: OngoingFailures, logger: Logger
    ) {
        self.initial = initial
        self.start = start
        self.pool = pool
        self.changes = changes
        self.pollInterval = pollInterval
        self.failures = failures
        self.logger = logger
    }

    /// Reports all events since ``initial`` until the task is cancelled.
    package func run(_ report: @escaping @Sendable (Event) -> Void) async {
        var place = start
        for await _ in changes.signals(of: ["cancelled_jobs"], atLeastEvery: pollInterval) {
            do {
                place = try await follow(from: place, report)
                failures.ended(
                    .cancellationsReadAgain, "Cancellations can be read again", after: .cancellationsUnreadable,
                    to: logger)
            } catch {
                if Task.isCancelled { return }
                failures.began(
                    .cancellationsUnreadable, "Cancellations cannot be read; the last ones stay in force", "\(error)",
                    to: logger)
            }
        }
    }

    private func follow(from place: Place, _ report: (Event) -> Void) async throws -> Place {
        let rows = try await pool.query(
            Self.changesSQL, [.bigint(Int64(place.version)), .bigint(Int64(Self.pageSize + 1))])
        guard let state = rows.first else { throw Self.noState }
        let version = try state["version"].integer
        // If the version went back, the database was restored from an older copy.
        if try ContinuousClock.now >= place.reloadAt || version < place.version
            || state["forgotten"].integer > place.version || rows.count > Self.pageSize
        {
            let (jobs, next) = try await Self.load(pool, logger)
            report(.loaded(jobs))
            return next
        }
        let changes = try rows.compactMap { row in
            try row["job"].optional.map { Change(job: try $0.text, isCancelled: try row["is_cancelled"].bool) }
        }
        if !changes.isEmpty {
            logger.info(.cancellationsRead, "Cancellations read", metadata: ["changes": "\(changes.count)"])
            report(.changed(changes))
        }
        return Place(version: version, reloadAt: place.reloadAt)
    }

    private static func load(_ pool: PostgresPool, _ logger: Logger) async throws -> (CancelledJobs, Place) {
        let (version, jobs) = try await pool.transaction { connection in
            // The version is read first, so that the feed does not miss changes that are made while the rows are read.
            // The feed may report such a change again.
            guard let state = try await connection.query("SELECT version FROM martlet.cancellation_state").first
            else { throw noState }
            var jobs = CancelledJobs()
            try await connection.query(
                "DECLARE cancelled NO SCROLL CURSOR FOR SELECT job FROM martlet.cancelled_jobs WHERE expires_at > now()"
            )
            while true {
                let rows = try await connection.query("FETCH FORWARD \(pageSize) FROM cancelled")
                if rows.isEmpty { return (try state["version"].integer, jobs) }
                for row in rows { try row["job"].withTextBytes { jobs.insert(utf8: $0) } }
            }
        }
        logger.info(.cancellationsRead, "Cancellations read", metadata: ["jobs": "\(jobs.count)"])
        // The time of the next full load is random, so that the workers of a fleet do not all load at the same time.
        return (jobs, Place(version: version, reloadAt: .now + .seconds(Int.random(in: 72_000...86_400))))
    }

    private static let noState = PostgresError(.unexpectedResult, "martlet.cancellation_state has no row")

    /// The query for the state and the changes after a version. It is a single statement, so that both show the same
    /// moment.
    private static let changesSQL = """
        SELECT state.version, state.forgotten, change.job, change.is_cancelled
        FROM martlet.cancellation_state AS state LEFT JOIN LATERAL (
            SELECT * FROM martlet.cancellation_changes AS change WHERE change.version > $1
            ORDER BY change.version, change.is_cancelled LIMIT $2) AS change ON true
        ORDER BY change.version, change.is_cancelled
        """
}
