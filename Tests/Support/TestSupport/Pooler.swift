import Foundation

/// PgBouncer in transaction mode in front of a PostgreSQL server, on a loopback port.
package final class Pooler: Sendable {
    private static let program = "/usr/sbin/pgbouncer"
    package static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }

    private let server: URLComponents
    private let port: Int

    /// Runs a pooler while `body` runs.
    /// - Parameter backends: the number of its connections to the server for each database.
    package static func with(
        server url: String, backends: Int, _ body: (Pooler) async throws -> Void
    ) async throws {
        guard let server = URLComponents(string: url) else { throw URLError(.badURL) }
        let folder = FileManager.default.temporaryDirectory.appending(path: "martlet-pooler-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let pooler = Pooler(server: server, port: try freePort())
        let file = folder.appending(path: "pgbouncer.ini")
        let users = folder.appending(path: "users")
        try Data("\"\(server.user ?? "")\" \"\(server.password ?? "")\"\n".utf8).write(to: users)
        try Data(pooler.configuration(backends: backends, users: users.path).utf8).write(to: file)
        let process = try Subprocess(restarting(asServer([program, file.path])), in: folder)
        defer { process.signal(SIGKILL) }
        do {
            try await eventually(process.errors) { pooler.accepts() }
            try await body(pooler)
        } catch {
            throw Failure(description: "\(error)\n\(process.errors)")
        }
    }

    private init(server: URLComponents, port: Int) {
        self.server = server
        self.port = port
    }

    /// Returns the URL of a database through the pooler, given its URL on the server.
    package func url(of database: String) throws -> String {
        guard var components = URLComponents(string: database) else { throw URLError(.badURL) }
        components.port = port
        guard let url = components.string else { throw URLError(.badURL) }
        return url
    }

    private func configuration(backends: Int, users: String) -> String {
        """
        [databases]
        * = host=127.0.0.1 port=\(server.port ?? 5432)
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = \(port)
        unix_socket_dir =
        auth_type = trust
        auth_file = \(users)
        pool_mode = transaction
        default_pool_size = \(backends)
        max_client_conn = 100

        """
    }

    private func accepts() -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        address.sin_port = UInt16(port).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// Returns a command that runs another one again when it fails, up to three times, as a service manager does.
    /// PgBouncer before 1.21 can end with an error when a client cancels a statement (pgbouncer issue 822).
    private static func restarting(_ command: [String]) -> [String] {
        ["/bin/sh", "-c", #"for run in 1 2 3 4; do "$@"; [ $? -eq 1 ] || exit; sleep 0.05; done"#, "sh"] + command
    }

    /// Returns a command that ends with its parent. If this process is root, the command runs as the user `postgres`,
    /// because PgBouncer refuses to run as root.
    private static func asServer(_ command: [String]) -> [String] {
        ["/usr/bin/setpriv", "--pdeathsig", "KILL"]
            + (getuid() == 0 ? ["--reuid", "postgres", "--regid", "postgres", "--clear-groups"] : []) + command
    }
}
