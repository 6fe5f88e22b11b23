import CommandSupport
import Observability
import PostgresClient
import Store

/// The notes on standard error that state how soon a change applies to workers and waiting jobs.
enum FleetNote {
    /// The time within which a worker with access to the database applies a change, in seconds.
    private static let seconds = 5
    /// The time within which a new rate limit applies to jobs that wait for their time slot, in minutes. If a job still
    /// has to wait for more than twice this time, the new limit applies to it after half of its wait.
    private static let slotMinutes = 2

    /// Prints how soon the running workers apply a change. Prints nothing if the workers can't be read, because the
    /// change itself has succeeded.
    static func print(_ pool: PostgresPool) async {
        guard let fleet = try? await WorkerRepository(pool).fleet() else { return }
        printError(text(running: fleet.running.count, silent: fleet.silent.count))
    }

    /// Returns a sentence that states when the waiting jobs of a resumed app return to their lanes.
    ///
    /// - Parameter delay: the time that a delay queue keeps the jobs, in seconds.
    static func resumption(delay: Int) -> String {
        "its waiting jobs return within \(delay + seconds) seconds, because each is delayed by \(delay) (retry.delays)"
    }

    /// A sentence that states when a new rate limit applies to jobs that wait for their time slot.
    static let newRate = "its jobs in the broker follow within \(slotMinutes) minutes, or after half of a longer wait"

    static func text(running: Int, silent: Int) -> String {
        let others = silent == 0 ? "" : "; \(Phrase.count(silent, "worker")) silent for at least six seconds"
        guard running > 0 else { return "no worker is running: the change applies when one starts" + others }
        return "the change applies within \(seconds) seconds in \(Phrase.count(running, "worker"))" + others
    }
}
