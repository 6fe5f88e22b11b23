import Foundation
import PostgresClient
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

@Suite(.needsServers)
struct DoctorTests {
    private func doctor(
        _ installation: Installation, host: String? = nil, options: String = ""
    ) async throws -> Subprocess.Finished {
        var components = try #require(URLComponents(string: installation.database.url))
        if let host { components.host = host }
        components.percentEncodedQuery = options
        let url = try #require(components.string)
        return try await installation.martlet(["doctor"], ["database.url": url])
    }

    @Test func warnsOfUnverifiedDatabaseServer() async throws {
        try await Installation.with { installation in
            #expect(try await installation.martlet(["doctor", "--declare"]).status == 0)
            #expect(try await !doctor(installation).output.contains("WARN  database TLS"))
            let far = try await doctor(installation, host: "db.example.net", options: "hostaddr=127.0.0.1")
            #expect(
                far.output.contains(
                    "WARN  database TLS  db.example.net is not verified: set sslmode=verify-full in database.url"),
                "\(far)")
            #expect(far.status == 0, "a warning is not a failure: \(far)")
        }
    }

    /// A function that shadows PostgreSQL's clock simulates a server whose clock is wrong.
    @Test(arguments: [(2, "ok    clock"), (8, "WARN  clock"), (-8, "WARN  clock"), (40, "FAIL  clock")])
    func reportsClockOffsetOfDatabase(seconds: Int, verdict: String) async throws {
        try await Installation.with { installation in
            try await installation.database.pool.query("CREATE SCHEMA late")
            try await installation.database.pool.query(
                """
                CREATE FUNCTION late.clock_timestamp() RETURNS timestamptz LANGUAGE sql
                AS $$ SELECT pg_catalog.clock_timestamp() + interval '\(seconds) seconds' $$
                """)
            let finished = try await doctor(installation, options: "options=-csearch_path%3Dlate,pg_catalog")
            #expect(finished.output.contains(verdict), "\(finished)")
            #expect(finished.status == (verdict.hasPrefix("FAIL") ? 1 : 0), "\(finished)")
            #expect(finished.output.contains(seconds > 0 ? "ms behind" : "ms ahead of"), "\(finished)")
        }
    }

    /// A function that shadows `current_setting` simulates a server with these settings.
    @Test(arguments: ["fsync", "full_page_writes", "synchronous_commit"])
    func warnsOfSettingsThatLoseCommits(setting: String) async throws {
        try await Installation.with { installation in
            func warnings(_ value: String) async throws -> String {
                try await installation.database.pool.query(
                    """
                    CREATE OR REPLACE FUNCTION weak.current_setting(name text) RETURNS text LANGUAGE sql
                    AS $$ SELECT CASE WHEN name = '\(setting)' THEN '\(value)'
                        WHEN name IN ('fsync', 'full_page_writes', 'synchronous_commit') THEN 'on'
                        ELSE pg_catalog.current_setting(name) END $$
                    """)
                let finished = try await doctor(installation, options: "options=-csearch_path%3Dweak,pg_catalog")
                #expect(finished.status == 0, "a warning is not a failure: \(finished)")
                return finished.output
            }
            try await installation.database.pool.query("CREATE SCHEMA weak")
            let off = try await warnings("off")
            #expect(off.contains(try Regex("WARN  durability    \(setting) is off: a crash .* claims")), "\(off)")
            #expect(off.ranges(of: "durability").count == 1, "\(off)")
            for value in ["on", "local"] {
                let good = try await warnings(value)
                #expect(good.contains("ok    durability    a commit is on this server's disk"), "\(good)")
            }
        }
    }

    /// A function and a view that shadow PostgreSQL's simulate a server with a standby.
    @Test func warnsOfLocalCommitsBesideStandby() async throws {
        try await Installation.with { installation in
            for statement in [
                "CREATE SCHEMA weak", "CREATE VIEW weak.pg_stat_replication AS SELECT 1",
                """
                CREATE FUNCTION weak.current_setting(name text) RETURNS text LANGUAGE sql
                AS $$ SELECT CASE name WHEN 'synchronous_commit' THEN 'local'
                    WHEN 'synchronous_standby_names' THEN '*'
                    WHEN 'fsync' THEN 'on' ELSE pg_catalog.current_setting(name) END $$
                """,
            ] { try await installation.database.pool.query(statement) }
            let warned = try await doctor(installation, options: "options=-csearch_path%3Dweak,pg_catalog")
            #expect(warned.status == 0, "\(warned)")
            #expect(
                warned.output.contains("WARN  durability    synchronous_commit is local, although standbys follow"),
                "\(warned)")
        }
    }

    /// A port that accepts connections and never answers simulates a server whose processes hang.
    @Test(arguments: [["doctor"], ["top", "--once"]])
    func namesDatabaseThatAcceptsConnectionsAndDoesNotAnswer(command: [String]) async throws {
        try await Installation.with { installation in
            let silent = try SilentPort()
            let finished = try await installation.martlet(
                command, ["database.url": "postgres://martlet@127.0.0.1:\(silent.port)/d?connect_timeout=1"])
            #expect(finished.status == 1, "\(finished)")
            #expect(
                finished.output.contains(
                    "the database does not answer: no connection to 127.0.0.1:\(silent.port)/d as martlet within 1.0 "
                        + "seconds, although the host accepts connections"), "\(finished)")
            // The command shows the state of the broker nevertheless.
            let broker = command == ["doctor"] ? "ok    broker" : "\nwaiting in the broker: urgent "
            #expect(finished.output.contains(broker), "\(finished)")
        }
    }

    /// A server that answers every request with 404 must not look like a broker without queues and bindings.
    @Test func warnsOfServerThatIsNoManagementAPI() async throws {
        try await Installation.with { installation in
            #expect(try await installation.martlet(["doctor", "--declare"]).status == 0)
            let server = try Subprocess(
                ["/usr/bin/python3", "-u", "-m", "http.server", "--bind", "127.0.0.1", "0"], in: installation.folder)
            defer { server.signal(SIGKILL) }
            try await eventually("the server listens: \(server.errors)") { server.output.contains(/port [0-9]+/) }
            let port = try #require(server.output.firstMatch(of: /port ([0-9]+)/)?.1)
            let finished = try await installation.martlet(["doctor", "--management", "http://127.0.0.1:\(port)"])
            #expect(finished.output.contains("WARN  management"), "\(finished)")
            #expect(finished.status == 0 && !finished.output.contains("does not lead to"), "\(finished)")
        }
    }
}
