import PostgresClient

/// The settings of a PostgreSQL server that determine which commits a crash or a failover can lose.
struct Durability {
    private let commits, fsync, pages, standbyNames: String
    private let standbys: Int

    /// Reads the settings from the server.
    ///
    /// - Throws: `PostgresError`.
    init(_ pool: PostgresPool) async throws {
        let row = try await pool.query(
            """
            SELECT current_setting('synchronous_commit') AS commits, current_setting('fsync') AS fsync,
                   current_setting('full_page_writes') AS pages,
                   current_setting('synchronous_standby_names') AS names,
                   (SELECT count(*) FROM pg_stat_replication)::int AS standbys
            """)[0]
        (commits, fsync, pages) = (try row["commits"].text, try row["fsync"].text, try row["pages"].text)
        (standbyNames, standbys) = (try row["names"].text, try row["standbys"].integer)
    }

    /// The warnings about settings that can lose committed transactions. Each warning names the consequence.
    var warnings: [DoctorWarning] {
        var found: [DoctorWarning] = []
        if fsync == "off" {
            found.append(
                DoctorWarning(
                    "fsync is off: a crash of the server's machine can corrupt the database and lose marks of dead "
                        + "tokens, claims, credentials and the audit",
                    todo: "set fsync = on in postgresql.conf"))
        }
        if pages == "off" {
            found.append(
                DoctorWarning(
                    "full_page_writes is off: a crash of the server's machine can corrupt pages and lose marks of dead "
                        + "tokens, claims, credentials and the audit",
                    todo: "set full_page_writes = on in postgresql.conf"))
        }
        if commits == "off" {
            found.append(
                DoctorWarning(
                    "synchronous_commit is off: a crash of the server loses the last marks of dead tokens, claims and "
                        + "audit entries, and jobs that must be sent once may be sent twice",
                    todo: "set synchronous_commit = on for the users of workers and operators"))
        }
        if standbys > 0, commits == "local" {
            found.append(
                DoctorWarning(
                    "synchronous_commit is local, although standbys follow this server (\(standbys)): a failover loses "
                        + "the last claims, and jobs that must be sent once may be sent twice",
                    todo: "set synchronous_commit = on for the users of workers and operators"))
        }
        if standbys > 0, standbyNames.isEmpty {
            found.append(
                DoctorWarning(
                    "standbys follow this server (\(standbys)), but synchronous_standby_names is empty: a failover loses "
                        + "the last claims, and jobs that must be sent once may be sent twice",
                    todo: "name the standby that takes over in synchronous_standby_names"))
        }
        return found
    }

    /// The text of the finding if there are no warnings.
    var text: String { standbys == 0 ? "a commit is on this server's disk" : "a commit is also on a standby" }
}
