import PostgresClient
import Store

/// The notes on standard error that state how soon a change applies to workers and waiting jobs.
enum FleetNote {
    /// The time within which a worker that reaches the database applies a change.
    private static let seconds = 5
    /// The time, in minutes, within which a new rate applies to jobs that wait for their slot. If half of a job's
    /// remaining wait is longer, the new rate applies after that.
    private static let slotMinutes = 2

    /// Prints how soon the running workers apply a change. Prints nothing if their rows cannot be read, because the
    /// change itself has succeeded.
    static func print(_ pool: PostgresPool) async {
        guard let fleet = try? await WorkerRepository(pool).fleet() else { return }
        printError(text(running: fleet.running.count, silent: fleet.silent.count))
    }

    /// Returns a sentence on when the jobs of a resumed app are sent.
    ///
    /// - Parameter delay: the time that a delay queue keeps the jobs, in seconds.
    static func resumption(delay: Int) -> String {
        "its waiting jobs return within \(delay + seconds) seconds: retry.delays keeps each for \(delay)"
    }

    /// The sentence on when a new rate applies to jobs that wait for their slot.
    static let newRate = "its jobs that wait in the broker follow within \(slotMinutes) minutes or half of their wait"

    static func text(running: Int, silent: Int) -> String {
        let others = silent == 0 ? "" : "; \(count(silent)) not heard of for six seconds or more"
        guard running > 0 else { return "no worker runs: the next one that starts knows it" + others }
        return "\(count(running)) know\(running == 1 ? "s" : "") it within \(seconds) seconds" + others
    }

    private static func count(_ workers: Int) -> String { "\(workers) worker\(workers == 1 ? "" : "s")" }
}
