package import Foundations
package import Logging
package import PostgresClient
import PushModel

/// A feed of the tokens that are marked dead. It loads all marks, and then reports each new mark within a few seconds,
/// regardless of the program that wrote it. While the database is unavailable, the feed waits. ``FilterAge`` determines
/// when all marks are loaded again.
package final class DeadTokenFeed: Sendable {
    package enum Event: Sendable {
        /// All tokens that are marked dead, as a filter that replaces everything reported before.
        case loaded(DeadTokenFilter)
        /// The hashes (``TokenHash``) of newly marked tokens. A hash may be reported more than once.
        case marked([UInt64])
    }

    package struct Configuration: Sendable {
        /// The maximum size of the filter, in bytes. While a new filter is loaded, the old one also stays in memory.
        package var maximumBytes = 64 << 20
        /// The interval between two reads of new marks.
        package var pollInterval = Duration.seconds(2)
        /// The timeout of each query that reads marks.
        package var patience = ReadTimeout()

        package init() {}
    }

    private static let pageSize = 20_000
    private static let longestWait = Duration.seconds(60)

    private let registry: DeviceTokenRegistry
    private let configuration: Configuration
    private let failures: OngoingFailures
    private let logger: Logger
    private let falsePositives = Atomic<Int>(0)

    package init(
        _ pool: PostgresPool, configuration: Configuration = Configuration(),
        failures: OngoingFailures = OngoingFailures(), logger: Logger
    ) {
        registry = DeviceTokenRegistry(pool)
        self.configuration = configuration
        self.failures = failures
        self.logger = logger
    }

    /// Adds to the number of false positives. A false positive is a token that seemed to be in the filter although it
    /// is not marked in the database. If there are many false positives, the filter is loaded again.
    package func note(falsePositives count: Int) { falsePositives.add(count, ordering: .relaxed) }

    /// Loads all marks and then reports new marks until the task is cancelled.
    package func run(_ report: @escaping @Sendable (Event) -> Void) async {
        var following: (since: Timestamp, age: FilterAge)?
        // A load that timed out is repeated after a growing back-off, with a longer timeout.
        var patience = configuration.patience
        var backoff = Backoff(first: configuration.pollInterval * 2, longest: Self.longestWait, jitter: 0.1)
        while !Task.isCancelled {
            let wait: Duration
            do {
                if let (since, age) = following,
                    !age.isOver(at: .now, falsePositives: falsePositives.load(ordering: .relaxed))
                {
                    let (next, count) = try await follow(since: since, patience.timeout, report)
                    following = (next, age.adding(count))
                } else {
                    let start = ContinuousClock.now
                    following = try await load(patience.timeout, report)
                    patience.succeeded(after: .now - start)
                }
                backoff.succeeded()
                wait = configuration.pollInterval
                failures.ended(
                    .deadTokensReadAgain, "Dead tokens can be read again", after: .deadTokensUnreadable, to: logger)
            } catch {
                if Task.isCancelled { return }
                failures.began(.deadTokensUnreadable, "Dead tokens cannot be read; retrying", "\(error)", to: logger)
                patience.failed(error)
                wait = backoff.failed(random: .random(in: 0...1))
            }
            try? await Task.sleep(for: wait)
        }
    }

    private func load(_ timeout: Duration, _ report: (Event) -> Void) async throws -> (since: Timestamp, age: FilterAge)
    {
        let start = ContinuousClock.now
        falsePositives.store(0, ordering: .relaxed)
        let (next, filter) = try await registry.pool.transaction { connection in
            let next = try await DeviceTokenRegistry.marksCompleteUntil(connection)
            let counted = try await connection.query(
                "SELECT count(*) AS dead FROM martlet.device_tokens WHERE unregistered_at IS NOT NULL",
                timeout: timeout)
            let count = try counted[0]["dead"].integer
            var filter = DeadTokenFilter(expecting: count, maximumBytes: configuration.maximumBytes)
            try await Self.read(since: nil, connection, timeout) { hashes in
                for hash in hashes { filter.insert(hash) }
            }
            return (next, filter)
        }
        let age = FilterAge(
            loadedAt: .now, count: filter.count, capacity: filter.capacity,
            mayGrow: filter.bytes + 32 <= configuration.maximumBytes)
        logger.info(
            .deadTokensRead, "Dead tokens read",
            metadata: [
                "tokens": "\(filter.count)", "bytes": "\(filter.bytes)", "seconds": "\((.now - start) / .seconds(1))",
            ])
        report(.loaded(filter))
        return (next, age)
    }

    /// Reports the marks since a time.
    ///
    /// - Returns: the time from which the next call must continue, and the number of reported marks.
    private func follow(since: Timestamp, _ timeout: Duration, _ report: (Event) -> Void) async throws -> (
        next: Timestamp, count: Int
    ) {
        try await registry.pool.transaction { connection in
            let next = try await DeviceTokenRegistry.marksCompleteUntil(connection)
            var count = 0
            // This query also reads marks at or after `next`, which the next call reports again.
            try await Self.read(since: since, connection, timeout) { hashes in
                count += hashes.count
                report(.marked(hashes))
            }
            return (max(next, since), count)
        }
    }

    private static func read(
        since: Timestamp?, _ connection: PostgresConnection, _ timeout: Duration, _ page: ([UInt64]) -> Void
    ) async throws {
        try await connection.query(
            """
            DECLARE dead NO SCROLL CURSOR FOR SELECT output, app, environment::text, token FROM martlet.device_tokens
            WHERE unregistered_at IS NOT NULL \(since == nil ? "" : "AND marked_at >= $1")
            """, since.map { [.timestamp(milliseconds: $0.milliseconds)] } ?? [])
        while true {
            let rows = try await connection.query("FETCH FORWARD \(pageSize) FROM dead", timeout: timeout)
            if rows.isEmpty { return }
            page(try hashes(of: rows))
        }
    }

    private static func hashes(of rows: PostgresResult) throws -> [UInt64] {
        // Rows of one app are mostly adjacent, so the seed of the previous row is reused.
        var last: (output: String, app: String, environment: String, seed: UInt64)?
        var hashes: [UInt64] = []
        hashes.reserveCapacity(rows.count)
        for row in rows {
            let (output, app, environment) = (try row["output"].text, try row["app"].text, try row["environment"].text)
            let seed: UInt64
            if let last, last.app == app, last.environment == environment, last.output == output {
                seed = last.seed
            } else {
                seed = TokenHash.seed(output: output, app: app, environment: try row["environment"].known())
                last = (output, app, environment, seed)
            }
            hashes.append(try row["token"].withTextBytes { TokenHash.hash($0, seed: seed) })
        }
        return hashes
    }
}
