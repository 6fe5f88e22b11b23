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

    @Test func aDatabaseThatIsNotVerifiedIsWarnedOf() async throws {
        try await Installation.with { installation in
            #expect(try await installation.martlet(["doctor", "--declare"]).status == 0)
            #expect(try await !doctor(installation).output.contains("WARN"))
            let far = try await doctor(installation, host: "db.example.net", options: "hostaddr=127.0.0.1")
            #expect(
                far.output.contains(
                    "WARN  database TLS  db.example.net is not verified: set sslmode=verify-full in database.url"),
                "\(far)")
            #expect(far.status == 0, "a warning is no failure: \(far)")
        }
    }

    /// A function that hides PostgreSQL's clock plays a server whose time is wrong.
    @Test(arguments: [(2, "ok    clock"), (8, "WARN  clock"), (-8, "WARN  clock"), (40, "FAIL  clock")])
    func aDatabaseWhoseClockIsOffIsWarnedOf(seconds: Int, verdict: String) async throws {
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

    /// Who answers to any question that there is no such thing knows neither a queue nor a binding.
    @Test func aServerThatIsNoManagementAPIIsNotTakenForOne() async throws {
        try await Installation.with { installation in
            #expect(try await installation.martlet(["doctor", "--declare"]).status == 0)
            let server = try Subprocess(
                ["/usr/bin/python3", "-u", "-m", "http.server", "--bind", "127.0.0.1", "0"], in: installation.folder)
            defer { server.signal(SIGKILL) }
            try await eventually("it listens: \(server.errors)") { server.output.contains(/port [0-9]+/) }
            let port = try #require(server.output.firstMatch(of: /port ([0-9]+)/)?.1)
            let finished = try await installation.martlet(["doctor", "--management", "http://127.0.0.1:\(port)"])
            #expect(finished.output.contains("WARN  management"), "\(finished)")
            #expect(finished.status == 0 && !finished.output.contains("leads nowhere"), "\(finished)")
        }
    }
}
