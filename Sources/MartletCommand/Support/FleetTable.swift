import CommandSupport
import Observability
import PostgresClient
import PushModel
import Store

/// The state of the fleet, as read from the database, for `top`.
struct FleetTable {
    let workers: [FleetWorker]
    let problems: [WorkerReport.ProblemReport]
    let answers: [FleetAnswers]
    /// The names of the workers that do not report the providers' answers.
    let withoutAnswers: [String]
    /// Whether the database accepts writes. If not, workers cannot renew their rows, and all of them become silent.
    let acceptsWrites: Bool

    /// Reads the workers, problems and answers of the fleet.
    ///
    /// - Throws: `PostgresError`.
    static func read(from pool: PostgresPool) async throws -> FleetTable {
        let fleet = try await WorkerRepository(pool).fleet()
        let server = try await pool.query("SELECT current_setting('transaction_read_only') = 'off' AS writes")[0]
        return FleetTable(
            workers: fleet.map(FleetWorker.init), problems: fleet.problems, answers: fleet.answers,
            withoutAnswers: fleet.withoutAnswers, acceptsWrites: try server["writes"].bool)
    }

    /// The number of workers and the totals of their reports, as one line.
    var summary: String {
        let here = workers.filter { $0.state != "silent" }
        let oldest = here.map(\.oldestJobSeconds).max() ?? 0
        var parts = [
            Phrase.count(here.count, "worker"),
            "\(Phrase.rate(here.reduce(0) { $0 + $1.rate })) outcomes per second",
            "\(Phrase.figure(here.reduce(0) { $0 + $1.putBack })) delayed in the last minute",
            "\(Phrase.count(here.reduce(0) { $0 + $1.waiting }, "job")) waiting in workers",
            "\(Phrase.figure(here.reduce(0) { $0 + $1.open })) open", "oldest job \(Phrase.duration(oldest))",
        ]
        if here.count < workers.count { parts.append("\(workers.count - here.count) silent") }
        return parts.joined(separator: ", ")
    }

    /// The workers as a table. Workers that are not ready come first.
    var table: Table {
        var table = Table(header: [
            "WORKER", "STATE", "HOST", "VERSION", "UP", "OUTCOMES/S", "DELAYED/MIN", "WAITING", "OPEN", "OLDEST",
            "LAST REPORT",
        ])
        for worker in workers.sorted(by: {
            ($0.state == "ready" ? 1 : 0, $0.name) < ($1.state == "ready" ? 1 : 0, $1.name)
        }) {
            table.append([
                worker.name, worker.stateWords + (worker.obstacle.map { ": \($0)" } ?? ""), worker.host ?? "-",
                worker.version, worker.state == "silent" ? "-" : Phrase.duration(worker.uptimeSeconds),
                Phrase.rate(worker.rate), Phrase.figure(worker.putBack), Phrase.figure(worker.waiting),
                Phrase.figure(worker.open), Phrase.duration(worker.oldestJobSeconds),
                "\(Phrase.duration(worker.silentSeconds)) ago",
            ])
        }
        return table
    }
}
