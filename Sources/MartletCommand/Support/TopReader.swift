import CommandSupport
import Logging
import MartletConfiguration
import Observability
import PostgresClient
import PushModel
import Routing
import Store

/// The part of `top` that reads the database.
struct TopReader {
    /// The lines that one reading of the database produces.
    struct Reading {
        /// The summary of the fleet, which is the first line.
        let summary: String
        /// The lines that follow the line about the broker.
        let details: [String]
        /// Whether the database answered.
        let isKnown: Bool

        func lines(waiting: String) -> [String] { [summary, waiting] + details }
    }

    private static let mostPaced = 10
    /// The time limit for each query. It is short because an operator waits for the result.
    private static let patience = Duration.seconds(5)

    private let configuration: PostgresConfiguration
    private let logger: Logger
    private let pool: PostgresPool
    private var isVerified = false

    /// Creates a reader with its own connection pool.
    ///
    /// - Throws: `ConfigurationError`.
    init(_ source: ConfigurationSource) throws {
        var configuration = try source.database(applicationName: "martlet top")
        configuration.queryTimeout = Self.patience
        // The pool waits longer than a connection attempt takes, because the error of a failed attempt is more useful
        // than the pool's own error.
        var options = PostgresPool.Options()
        options.leaseTimeout = configuration.connectTimeout + .seconds(2)
        self.configuration = configuration
        logger = try source.logger("martlet.top", atLeast: .critical)
        pool = PostgresPool(configuration, options: options, logger: logger)
    }

    func close() { pool.close() }

    /// Reads the state of the fleet. If the database does not answer, the summary gives the reason.
    ///
    /// - Throws: `StoreError` if the database's schema does not match this program.
    mutating func read() async throws -> Reading {
        do {
            if !isVerified { try await Migrations(configuration, logger: logger).verify() }
            isVerified = true
            let fleet = try await FleetTable.read(from: pool)
            return Reading(summary: fleet.summary, details: try await details(of: fleet), isKnown: true)
        } catch let error as PostgresError {
            return Reading(summary: error.absence, details: [], isKnown: false)
        }
    }

    /// Returns lines from a table that the rest of the output does not need, or the reason why the table could not be
    /// read. It may be locked.
    ///
    /// - Throws: `PostgresError` if there is no connection.
    private func lines(about what: String, _ read: () async throws -> [String]) async throws -> [String] {
        do {
            return try await read()
        } catch let error as PostgresError where error.code == .server || error.code == .timedOut {
            return ["\(what) are not known: \(error)"]
        }
    }

    private func details(of fleet: FleetTable) async throws -> [String] {
        let notKnown = fleet.withoutAnswers
        let answers =
            (fleet.answers.isEmpty ? [] : fleet.answers.table.lines)
            + (notKnown.isEmpty ? [] : ["answers are not reported by \(Phrase.list(notKnown))"])
        let problems =
            (fleet.acceptsWrites ? [] : ["trouble: PostgreSQL accepts no writes, so workers cannot renew their rows"])
            + fleet.problems.map { "\($0.severity): \($0.line) (since \($0.since))" }
        let refusals = try await lines(about: "refusals") {
            try await RefusalRepository(pool).list().map { refusal in
                "refused: credential \(refusal.credential), \(refusal.environment.rawValue), "
                    + "\(refusal.topic ?? "all topics"): \(refusal.reason) since \(refusal.since.rfc3339)"
            }
        }
        let paced = try await lines(about: "rate limits") {
            try await AppRepository(pool).paced(most: Self.mostPaced).map { "rate limit: \($0.bundleID)\($0.paceText)" }
        }
        return [fleet.table.lines, answers, problems, refusals, paced].filter { !$0.isEmpty }.flatMap { [""] + $0 }
    }
}
