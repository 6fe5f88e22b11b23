import Foundation
import Logging
import PostgresClient
import TestSupport
import TestTraits
import Testing

/// URLs with several hosts, which are tried in order with a time limit for each.
@Suite struct SeveralHostsTests {
    private func attempts(
        _ options: [String: String], _ environment: [String: String] = [:],
        showing keywords: [String] = ["host", "port"]
    ) -> [String] {
        HostAttempts.of(options, environment: environment).map { attempt in
            keywords.map { attempt[$0] ?? "-" }.joined(separator: " ")
        }
    }

    @Test func triesEachHostSeparately() {
        #expect(attempts(["host": "a,b,c", "port": "1,,3"]) == ["a 1", "b 5432", "c 3"])
        #expect(attempts(["host": "a,b", "port": "7"]) == ["a 7", "b 7"])
        #expect(attempts(["host": "a,b"]) == ["a -", "b -"])
        #expect(attempts(["host": "a"]) == ["a -"] && attempts([:]) == ["- -"])
        let named = attempts(
            ["host": "a,b", "hostaddr": "::1,::2", "dbname": "d"], showing: ["host", "hostaddr", "dbname"])
        #expect(named == ["a ::1 d", "b ::2 d"])
        #expect(attempts(["hostaddr": "::1,::2"], showing: ["host", "hostaddr"]) == ["- ::1", "- ::2"])
    }

    @Test func takesMissingPartsFromEnvironment() {
        #expect(attempts([:], ["PGHOST": "a,b", "PGPORT": "1,2"]) == ["a 1", "b 2"])
        #expect(attempts(["host": "c,d"], ["PGHOST": "a,b", "PGPORT": "1,2"]) == ["c 1", "d 2"])
    }

    /// An explicit port would override the port in the service file, which only libpq reads.
    @Test func leavesServiceToLibPQ() {
        let keywords = ["service", "host", "port", "target_session_attrs"]
        #expect(attempts(["service": "prod"], ["PGHOST": "a,b", "PGPORT": "1"], showing: keywords) == ["prod - - -"])
        #expect(attempts(["host": "a,b"], ["PGSERVICE": "prod"], showing: keywords) == ["prod a,b - -"])
        #expect(HostAttempts.name(of: ["service": "prod", "host": "a"]) == nil)
    }

    @Test func requiresPrimaryOfSeveralHostsByDefault() {
        let keywords = ["host", "target_session_attrs"]
        #expect(attempts([:], ["PGHOST": "a,b"], showing: keywords) == ["a read-write", "b read-write"])
        #expect(attempts(["hostaddr": "::1,::2"], showing: keywords) == ["- read-write", "- read-write"])
        #expect(
            attempts(["host": "a,b"], ["PGTARGETSESSIONATTRS": "any"], showing: keywords) == ["a any", "b any"])
        #expect(
            attempts([:], ["PGHOST": "a,b", "PGTARGETSESSIONATTRS": "prefer-standby"], showing: keywords)
                == ["a standby", "b standby", "a any", "b any"])
        #expect(attempts(["host": "a"], showing: keywords) == ["a -"])
    }

    @Test func triesEachAddressOfName() {
        let host = HostAttempts.of([:], environment: ["PGHOST": "db.test"])[0]
        #expect(HostAttempts.name(of: host) == "db.test")
        let tried = HostAttempts.of(host, at: ["2001:db8::1", "192.0.2.1"], environment: [:])
        #expect(tried.map { $0["host"] } == ["db.test", "db.test"])
        #expect(tried.map { $0["hostaddr"] } == ["2001:db8::1", "192.0.2.1"])
        for place in ["192.0.2.1", "::1", "/run/postgresql", "@abstract", ""] {
            #expect(HostAttempts.name(of: ["host": place]) == nil)
        }
        #expect(HostAttempts.name(of: ["host": "db.test", "hostaddr": "192.0.2.1"]) == nil)
        #expect(HostAttempts.name(of: [:]) == nil)
    }

    /// Lists of different lengths are passed to libpq, which reports the error.
    @Test func passesMismatchedListsUnchanged() {
        #expect(attempts(["host": "a,b,c", "port": "1,2"]) == ["a,b,c 1,2"])
        #expect(attempts(["host": "a,b", "hostaddr": "::1,::2,::3"]) == ["a,b -"])
    }

    @Test func triesAllStandbysBeforeAnyServer() {
        let keywords = ["host", "target_session_attrs"]
        #expect(
            attempts(["host": "a,b", "target_session_attrs": "prefer-standby"], showing: keywords)
                == ["a standby", "b standby", "a any", "b any"])
        #expect(
            attempts(["host": "a,b", "target_session_attrs": "read-write"], showing: keywords)
                == ["a read-write", "b read-write"])
    }

    @Test func triesAllHostsInRandomOrder() {
        let hosts = (0..<8).map { "h\($0)" }
        let options = ["host": hosts.joined(separator: ","), "load_balance_hosts": "random"]
        let orders = (0..<20).map { _ in attempts(options, showing: ["host"]) }
        #expect(orders.allSatisfy { $0.sorted() == hosts } && Set(orders).count > 1)
    }

    // MARK: With a real server as the last one

    private func url(behind first: String, _ options: String = "") throws -> String {
        let server = try #require(TestServers.database.flatMap { URLComponents(string: $0) })
        let (user, host, port) = (try #require(server.user), server.host ?? "", try #require(server.port))
        let login = user + (server.password.map { ":\($0)" } ?? "")
        return "postgres://\(login)@\(first),\(host):\(port)\(server.path)?\(options)"
    }

    @Test(.needsDatabase, .timeLimit(.minutes(2)), arguments: ["", "&target_session_attrs=prefer-standby"])
    func continuesAfterSilentHost(more: String) async throws {
        let silent = try SilentPort()
        let refusing = try RefusingPort()
        let first = "127.0.0.1:\(silent.port),127.0.0.1:\(refusing.port)"
        let configuration = try PostgresConfiguration(url: try url(behind: first, "connect_timeout=3" + more))
        let connection = try await PostgresConnection.connect(configuration)
        #expect(try await connection.query("SELECT 7 AS n")[0]["n"].integer == 7)
        await connection.close()
    }

    /// libpq itself tries the next address of a name only after an error.
    @Test(.needsDatabase, .timeLimit(.minutes(2)))
    func continuesAfterSilentAddressOfName() async throws {
        let server = try #require(TestServers.database.flatMap { URLComponents(string: $0) })
        let address = try #require(server.host)
        let silent = try DeadPort(address: "127.0.4.1", port: UInt16(clamping: try #require(server.port)))
        var url = server
        url.host = "db.test"
        var configuration = try PostgresConfiguration(url: try #require(url.string))
        configuration.knownAddresses = ["db.test": ["127.0.4.1", address]]
        let pool = PostgresPool(configuration, logger: Logger(label: "test"))
        defer { pool.close() }
        #expect(try await pool.query("SELECT 7 AS n")[0]["n"].integer == 7)

        url.queryItems = [URLQueryItem(name: "connect_timeout", value: "1")]
        configuration = try PostgresConfiguration(url: try #require(url.string))
        configuration.knownAddresses = ["db.test": ["127.0.4.1"]]
        let error = await #expect(throws: PostgresError.self) { try await PostgresConnection.connect(configuration) }
        #expect(error?.message.hasPrefix("no connection to db.test (127.0.4.1):") == true, "\(error as Any)")
        withExtendedLifetime(silent) {}
    }

    @Test func reportsUnknownHostName() async throws {
        // A label of more than 63 letters is invalid, so no resolver sends a query for it.
        let name = String(repeating: "a", count: 64) + ".test"
        let configuration = try PostgresConfiguration(url: "postgres://martlet:hunter2@\(name)/d")
        let error = await #expect(throws: PostgresError.self) { try await PostgresConnection.connect(configuration) }
        #expect(error?.code == .connectFailed, "\(error as Any)")
        #expect(error?.message.hasPrefix("looking up \(name): ") == true, "\(error as Any)")
    }

    /// The connect time-out and the lease time-out have the same default, but the pool waits longer if there are
    /// several hosts.
    @Test(.needsDatabase, .timeLimit(.minutes(2)))
    func poolWaitsForHostThatAnswers() async throws {
        let silent = try SilentPort()
        let configuration = try PostgresConfiguration(url: try url(behind: "127.0.0.1:\(silent.port)"))
        let pool = PostgresPool(configuration, logger: Logger(label: "test"))
        defer { pool.close() }
        #expect(try await pool.query("SELECT 7 AS n")[0]["n"].integer == 7)
    }

    @Test func reportsEveryFailedHost() async throws {
        let silent = try SilentPort()
        let refusing = try RefusingPort()
        let configuration = try PostgresConfiguration(
            url: "postgres://martlet:hunter2@127.0.0.1:\(silent.port),127.0.0.1:\(refusing.port)/d?connect_timeout=1")
        let error = await #expect(throws: PostgresError.self) { try await PostgresConnection.connect(configuration) }
        let text = "\(try #require(error))"
        let late = "no connection to 127.0.0.1:\(silent.port)/d as martlet within 1.0 seconds"
        #expect(text.contains(late + ", although the host accepts connections"), "\(text)")
        #expect(text.contains("port \(refusing.port) failed: Connection refused"), "\(text)")
        #expect(error?.code == .connectFailed && !text.contains("hunter2"))
    }

    @Test(.timeLimit(.minutes(2))) func triesNoOtherHostAfterCancellation() async throws {
        let silent = try SilentPort()
        let hosts = Array(repeating: "127.0.0.1:\(silent.port)", count: 100).joined(separator: ",")
        let configuration = try PostgresConfiguration(url: "postgres://martlet@\(hosts)/d")
        let connecting = Task { try await PostgresConnection.connect(configuration) }
        connecting.cancel()
        await #expect(throws: PostgresError.self) { try await connecting.value }
    }
}
