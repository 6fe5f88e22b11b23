import Logging
import MartletConfiguration
import Observability
import PostgresClient
import Store

/// The checks that `doctor` makes of the PostgreSQL server and of a pooler in front of it.
struct ServerChecks {
    let source: ConfigurationSource
    let pool: PostgresPool

    private static let oldest = 140_000
    /// The number of database connections of one worker (docs/database.md). Four are for its work, two follow
    /// operators' changes, one renews the worker's row, and one listens for notifications.
    private static let connectionsEach = 8

    func run(_ report: inout DoctorReport) async {
        await report.check("server") {
            let row = try await pool.query(
                """
                SELECT pg_is_in_recovery() AS standby, current_setting('server_version_num')::int AS version,
                       current_setting('server_version') AS name,
                       current_setting('transaction_read_only') = 'on' AS read_only
                """)[0]
            guard try !row["standby"].bool else {
                throw DoctorFault(
                    "is a standby, which accepts no writes",
                    todo: "set database.url to the primary, or to all hosts with target_session_attrs=read-write")
            }
            guard try !row["read_only"].bool else {
                throw DoctorFault(
                    "accepts no writes because default_transaction_read_only is on",
                    todo: "set it to off for this database and user; workers then resume automatically")
            }
            guard try row["version"].integer >= Self.oldest else {
                throw DoctorFault("PostgreSQL \(try row["name"].text) is older than 14", todo: "upgrade it")
            }
            return "accepts writes"
        }
        await durability(&report)
        await report.check("notify") { try await notify() }
    }

    /// Adds a finding for each risky durability setting, or a single finding if there is none.
    private func durability(_ report: inout DoctorReport) async {
        do {
            let durability = try await Durability(pool)
            for warning in durability.warnings { report.add(.warning, "durability", warning.text, warning.todo) }
            if durability.warnings.isEmpty { report.add(.ok, "durability", durability.text) }
        } catch {
            report.add(.error, "durability", "\(error)")
        }
    }

    /// Checks whether a notification from the server arrives. The check writes nothing to the database.
    private func notify() async throws -> String {
        guard try source.boolean(.databaseListen) else {
            return "not used (database.listen: false): workers poll for changes every two or three seconds"
        }
        let (received, hear) = AsyncStream.makeStream(of: Void.self)
        let listener = try await PostgresConnection.connect(pool.configuration) { _ in hear.yield() }
        let finding = try await SessionSharing.isFound(listener, pool) ? "" : try await listen(listener, received)
        await listener.close()
        if let finding {
            throw DoctorWarning(
                "notifications do not arrive, because a pooler in transaction mode is in front of the server" + finding,
                todo: "set database.listen: false; workers then poll for changes every two or three seconds")
        }
        return "notifications arrive"
    }

    /// Listens on a new channel, sends a notification to it, and waits up to three seconds for its arrival.
    ///
    /// - Returns: a warning about the `LISTEN` that may remain in a pooled session, or `nil` if the notification
    ///   arrived.
    private func listen(_ listener: PostgresConnection, _ received: AsyncStream<Void>) async throws -> String? {
        let channel = "martlet_doctor_\(UInt32.random(in: 0 ... .max))"
        let session = try await listener.batch([
            PostgresStatement("LISTEN \(channel)"), PostgresStatement("SELECT pg_backend_pid() AS session"),
        ])[1][0]["session"].integer
        try await pool.query("SELECT pg_notify($1, '')", [.text(channel)])
        let isReceived = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await _ in received { return true }
                return false
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(3))
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        return isReceived ? nil : "; its session \(session) may listen to \(channel) until it is closed"
    }

    func connections() async throws -> String {
        let row = try await pool.query(
            """
            SELECT current_setting('max_connections')::int AS most,
                   current_setting('superuser_reserved_connections')::int AS kept
            """)[0]
        let room = try row["most"].integer - row["kept"].integer
        let workers = try await WorkerRepository(pool).fleet().running.count
        let each = try Self.connectionsEach - (source.boolean(.databaseListen) ? 0 : 1)
        let text = "\(Phrase.count(workers, "worker")) can open up to \(workers * each) of \(room) connections"
        guard workers * each <= room else {
            throw DoctorWarning(text, todo: "raise max_connections, or put PgBouncer in front of the server")
        }
        return text
    }
}
