import PostgresClient
import Store

/// Says on standard error who will obey what was just changed, and how soon.
enum FleetNote {
    /// Within which a worker that reaches the database knows of a change.
    private static let seconds = 5

    /// Nothing where the table can't be read: the change is made.
    static func print(_ pool: PostgresPool) async {
        guard let fleet = try? await WorkerRepository(pool).fleet() else { return }
        printError(text(running: fleet.running.count, silent: fleet.silent.count))
    }

    static func text(running: Int, silent: Int) -> String {
        let others = silent == 0 ? "" : "; \(count(silent)) not heard of for six seconds or more"
        guard running > 0 else { return "no worker runs: the next one that starts knows it" + others }
        return "\(count(running)) know\(running == 1 ? "s" : "") it within \(seconds) seconds" + others
    }

    private static func count(_ workers: Int) -> String { "\(workers) worker\(workers == 1 ? "" : "s")" }
}
