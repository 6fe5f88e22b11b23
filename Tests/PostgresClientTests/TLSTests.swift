import Foundation
import PostgresClient
import TestSupport
import TestTraits
import Testing

@Suite(.enabled(if: TLSServer.isInstalled, TLSServer.missing), .endsAHang)
struct TLSTests {
    /// With `sslmode=verify-full`, the authority and the host name of the server's certificate must both match.
    @Test func connectsOnlyToVerifiedServer() async throws {
        try await TLSServer.with { server in
            func connect(_ host: String, _ query: String) async throws -> PostgresConnection {
                try await PostgresConnection.connect(
                    PostgresConfiguration(url: "postgres://martlet@\(host):\(server.port)/postgres?\(query)"))
            }
            let authority = server.path("ca.pem"), other = server.path("other-ca.pem")
            let verified = try await connect(
                "localhost", "hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert=\(authority)")
            let session = try await verified.query(
                "SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()")[0]
            #expect(try session["ssl"].bool)
            let version = try session["version"].text
            #expect(version.hasPrefix("TLSv1."), "\(version)")
            await verified.close()

            let refusals = [
                (
                    "localhost", "hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert=\(other)",
                    "certificate verify failed"
                ),
                (
                    "db.example.net", "hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert=\(authority)",
                    "does not match host name \"db.example.net\""
                ),
                ("localhost", "hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert=/nowhere/ca.pem", "/nowhere/ca.pem"),
                ("localhost", "hostaddr=127.0.0.1&sslmode=disable", "no encryption"),
            ]
            for (host, query, words) in refusals {
                let error = await #expect(throws: PostgresError.self) { _ = try await connect(host, query) }
                #expect(error?.message.contains(words) == true, "\(query): \(String(describing: error))")
            }
        }
    }
}

/// A PostgreSQL server for a single test. It accepts only TLS connections, on a loopback port.
struct TLSServer {
    let port: Int
    private let folder: URL

    private static let programs: URL? = {
        let versions = URL(filePath: "/usr/lib/postgresql")
        let found = (try? FileManager.default.contentsOfDirectory(atPath: versions.path)) ?? []
        return found.max { (Int($0) ?? 0) < (Int($1) ?? 0) }.map { versions.appending(path: "\($0)/bin") }
    }()
    static var isInstalled: Bool {
        programs.map { FileManager.default.isExecutableFile(atPath: $0.appending(path: "initdb").path) } ?? false
    }
    static let missing: Comment = "no PostgreSQL server under /usr/lib/postgresql"

    func path(_ name: String) -> String { folder.appending(path: name).path }

    static func with(_ body: (TLSServer) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "martlet-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = TLSServer(port: try freePort(), folder: folder)
        try await server.makeCertificates()
        try await server.makeCluster()
        let process = try server.start()
        do {
            try await eventually(process.errors) {
                let command = [server.program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", "\(server.port)"]
                return try await Subprocess.run(command, in: folder).status == 0
            }
            try await body(server)
        } catch {
            Issue.record(error, "\(process.errors)")
        }
        // SIGINT requests a fast shutdown of PostgreSQL.
        process.signal(SIGINT)
        _ = try await process.finish()
    }

    private func makeCertificates() async throws {
        for name in ["ca", "other-ca"] {
            try await openssl(
                "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=\(name)"
                    + " -keyout \(name).key -out \(name).pem")
        }
        try Data("subjectAltName=DNS:localhost\n".utf8).write(to: folder.appending(path: "names"))
        try await openssl(
            "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost"
                + " -keyout server.key -out server.csr")
        try await openssl(
            "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.pem")
    }

    private func makeCluster() async throws {
        if getuid() == 0 { try await Self.run(["/usr/bin/chown", "-R", "postgres", folder.path]) }
        try await Self.run(
            asServer([
                program("initdb"), "--pgdata", path("data"), "--username", "martlet", "--auth", "trust", "--no-sync",
                "--no-instructions", "--locale", "C.UTF-8",
            ]))
        // Accepts connections over TLS only.
        try Data("hostssl all all 127.0.0.1/32 trust\n".utf8).write(to: folder.appending(path: "data/pg_hba.conf"))
    }

    private func start() throws -> Subprocess {
        try Subprocess(
            asServer([
                program("postgres"), "-D", path("data"), "-p", "\(port)", "-c", "listen_addresses=127.0.0.1", "-c",
                "unix_socket_directories=", "-c", "ssl=on", "-c", "ssl_cert_file=\(path("server.pem"))", "-c",
                "ssl_key_file=\(path("server.key"))", "-c", "fsync=off",
            ]), in: folder)
    }

    private func program(_ name: String) -> String { Self.programs?.appending(path: name).path ?? name }

    /// Returns a command that does not run as root, because PostgreSQL refuses to.
    private func asServer(_ command: [String]) -> [String] {
        getuid() == 0
            ? [
                "/usr/bin/setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups", "--pdeathsig",
                "KILL",
            ]
                + command : command
    }

    private func openssl(_ arguments: String) async throws {
        try await Self.run(["/usr/bin/openssl"] + arguments.split(separator: " ").map(String.init), in: folder)
    }

    private static func run(_ command: [String], in folder: URL? = nil) async throws {
        let finished = try await Subprocess.run(command, in: folder ?? URL(filePath: "/"))
        try #require(finished.status == 0, "\(command) \(finished)")
    }
}
