import Foundations
import Logging
import PostgresClient

/// A monitor of the sessions that block another session. It logs them and remembers those that it found last.
final class LockMonitor: Sendable {
    private let configuration: PostgresConfiguration
    private let processID: Int
    private let interval: Duration
    private let logger: Logger
    private let last = Mutex<String?>(nil)

    init(_ configuration: PostgresConfiguration, of processID: Int, interval: Duration, logger: Logger) {
        self.configuration = configuration
        self.processID = processID
        self.interval = interval
        self.logger = logger
    }

    /// The blocking sessions that were found last, or `nil` if none were found yet.
    var holders: String? { last.withLock { $0 } }

    /// Checks at intervals which sessions block the given one, until the task is cancelled. The checks use a separate
    /// connection, and their errors are ignored.
    func run() async {
        var connection: PostgresConnection?
        while (try? await Task.sleep(for: interval)) != nil {
            do {
                let looking: PostgresConnection
                if let connection { looking = connection } else { looking = try await .connect(configuration) }
                connection = looking
                try await look(looking)
            } catch {
                connection = nil
            }
        }
        await connection?.close()
    }

    private func look(_ connection: PostgresConnection) async throws {
        let rows = try await connection.query(Self.holdersSQL, [.int(Int32(clamping: processID))])
        guard !rows.isEmpty else { return }
        let holders = try rows.map { try $0["holder"].text }.joined(separator: "; ")
        let isNews = last.withLock { last in
            defer { last = holders }
            return last != holders
        }
        if isNews { logger.warning(.waitingForLock, "Waiting for a lock", metadata: ["held_by": "\(holders)"]) }
    }

    /// The query for the sessions that block a process. Columns of a session are null if the user may not see them.
    private static let holdersSQL = """
        SELECT concat('pid ', pid, ', user ', usename, ', ' || nullif(application_name, ''),
            ' at ' || host(client_addr), ', in a transaction since ' || date_trunc('second', xact_start)::text) AS holder
        FROM pg_stat_activity WHERE pid = ANY (pg_blocking_pids($1)) ORDER BY pid
        """
}
