import CommandSupport
import Observability
import PostgresClient
import Store

/// The note on standard error that states how soon a change applies to workers.
enum FleetNote {
    /// The time within which a worker with access to the database applies a change, in seconds.
    private static let seconds = 5

    /// Prints how soon the running workers apply a change. Prints nothing if the workers can't be read, because the
    /// change itself has succeeded.
    static func print(_ pool: PostgresPool) async {
        guard let fleet = try? await WorkerRepository(pool).fleet() else { return }
        printError(text(running: fleet.running.count, silent: fleet.silent.count))
    }

    static func text(running: Int, silent: Int) -> String {
        let others = silent == 0 ? "" : "; \(Phrase.count(silent, "worker")) silent for at least six seconds"
        guard running > 0 else { return "no worker is running: the change applies when one starts" + others }
        return "the change applies within \(seconds) seconds in \(Phrase.count(running, "worker"))" + others
    }
}
