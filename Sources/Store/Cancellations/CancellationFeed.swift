public import EventNames
public import Logging
public import PostgresClient

/// Follows which jobs are cancelled: all that are, once, then each change a moment after it was made, whoever made it.
/// While the database is away it waits.
///
/// Once a day everything is loaded anew, which forgets what has expired.
public final class CancellationFeed: Sendable {
    public enum Event: Sendable {
        /// In place of what was told before: all that are in force. Jobs may be in it that no change named.
        case loaded(CancelledJobs)
        /// What was done just now, in the order in which it was done; some may come again.
        case changed([Change])
    }

    public struct Change: Sendable, Hashable {
        public let job: String
        /// false: the cancellation was taken back.
        public let isCancelled: Bool

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

    /// What was in force when the feed was made.
    public let initial: CancelledJobs
    private let start: Place
    private let pool: PostgresPool
    private let changes: ChangeListener
    private let pollInterval: Duration
    private let failures: OngoingFailures
    private let logger: Logger

    /// Loads what is in force.
    /// - Parameters:
    ///   - changes: says when to look; runs elsewhere.
    ///   - pollInterval: how long a change may go unnoticed while notifications are lost.
    /// - Throws: ``PostgresError``.
    public static func load(
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

    /// Works until the task is cancelled. Tells what happened since ``initial``.
    public func run(_ tell: @escaping @Sendable (Event) -> Void) async {
        var place = start
        for await _ in changes.signals(of: ["cancelled_jobs"], atLeastEvery: pollInterval) {
            do {
                place = try await follow(from: place, tell)
                failures.ended(
                    .cancellationsReadAgain, "Cancellations can be read again", after: .cancellationsUnreadable,
                    to: logger)
            } catch {
                if Task.isCancelled { return }
                failures.began(
                    .cancellationsUnreadable, "Cancellations can't be read, the last ones stay in force", "\(error)",
                    to: logger)
            }
        }
    }

    private func follow(from place: Place, _ tell: (Event) -> Void) async throws -> Place {
        let rows = try await pool.query(
            Self.changesSQL, [.bigint(Int64(place.version)), .bigint(Int64(Self.pageSize + 1))])
        guard let state = rows.first else { throw Self.noState }
        let version = try state["version"].integer
        // A version that went back: the database is an older copy of itself.
        if try ContinuousClock.now >= place.reloadAt || version < place.version
            || state["forgotten"].integer > place.version || rows.count > Self.pageSize
        {
            let (jobs, next) = try await Self.load(pool, logger)
            tell(.loaded(jobs))
            return next
        }
        let changes = try rows.compactMap { row in
            try row["job"].optional.map { Change(job: try $0.text, isCancelled: try row["is_cancelled"].bool) }
        }
        if !changes.isEmpty {
            logger.info(.cancellationsRead, "Cancellations read", metadata: ["changes": "\(changes.count)"])
            tell(.changed(changes))
        }
        return Place(version: version, reloadAt: place.reloadAt)
    }

    private static func load(_ pool: PostgresPool, _ logger: Logger) async throws -> (CancelledJobs, Place) {
        let (version, jobs) = try await pool.transaction { connection in
            // First: what is changed while the rows are read comes again as a change.
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
        // not the whole fleet at once
        return (jobs, Place(version: version, reloadAt: .now + .seconds(Int.random(in: 72_000...86_400))))
    }

    private static let noState = PostgresError(.unexpectedResult, "martlet.cancellation_state has no row")

    /// One statement, so state and changes are of one moment.
    private static let changesSQL = """
        SELECT state.version, state.forgotten, change.job, change.is_cancelled
        FROM martlet.cancellation_state AS state LEFT JOIN LATERAL (
            SELECT * FROM martlet.cancellation_changes AS change WHERE change.version > $1
            ORDER BY change.version, change.is_cancelled LIMIT $2) AS change ON true
        ORDER BY change.version, change.is_cancelled
        """
}
