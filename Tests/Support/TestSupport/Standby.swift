import Foundation

/// A PostgreSQL server that follows another one and can replace it.
package final class Standby: Sendable {
    package let port: Int
    private let primary: URLComponents

    /// Runs a standby while `body` runs.
    /// - Parameter url: the URL of a superuser of the primary.
    package static func with(primary url: String, _ body: (Standby) async throws -> Void) async throws {
        guard var primary = URLComponents(string: url) else { throw URLError(.badURL) }
        primary.path = "/postgres"
        let standby = Standby(primary: primary, port: try freePort())
        let folder = FileManager.default.temporaryDirectory.appending(path: "martlet-standby-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        defer { try? FileManager.default.removeItem(at: folder) }
        let data = folder.appending(path: "data").path
        let owner = getuid() == 0 ? ["-o", "postgres", "-g", "postgres"] : []
        try await run(["/usr/bin/install", "-d", "-m", "700"] + owner + [data])
        try await run(
            asServer([
                try program("pg_basebackup"), "-d", primary.string ?? "", "-D", data, "-R", "-X", "stream", "-c",
                "fast",
            ]))
        let server = try Subprocess(
            // A standby needs at least the primary's max_connections (scripts/support/local_services/postgres.py).
            asServer([
                try program("postgres"), "-D", data, "-p", "\(standby.port)", "-c", "listen_addresses=127.0.0.1", "-c",
                "unix_socket_directories=", "-c", "max_connections=500", "-c", "fsync=off",
            ]), in: folder)
        do {
            try await eventually(server.errors) {
                try await Subprocess.run(
                    [try program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", "\(standby.port)"]
                ).status == 0
            }
            try await body(standby)
        } catch {
            server.signal(SIGKILL)
            throw Failure(description: "\(error)\n\(server.errors)")
        }
        server.signal(SIGINT)
        _ = try await server.finish()
    }

    private init(primary: URLComponents, port: Int) {
        self.primary = primary
        self.port = port
    }

    /// Returns the URL of a database on the standby, given its URL on the primary.
    package func url(of database: String) throws -> String {
        guard var components = URLComponents(string: database) else { throw URLError(.badURL) }
        components.port = port
        guard let url = components.string else { throw URLError(.badURL) }
        return url
    }

    /// Returns a URL that names both servers, the primary first.
    package func urlOfBoth(_ database: String) throws -> String {
        guard let components = URLComponents(string: database), let host = components.host, let first = components.port
        else { throw URLError(.badURL) }
        return "postgres://\(components.user ?? ""):\(components.password ?? "")@\(host):\(first),127.0.0.1:\(port)"
            + "\(components.path)?target_session_attrs=read-write"
    }

    private static func program(_ name: String) throws -> String {
        let root = URL(filePath: "/usr/lib/postgresql")
        let versions = try FileManager.default.contentsOfDirectory(atPath: root.path).compactMap(Int.init).sorted()
        guard
            let version = versions.last(where: {
                FileManager.default.isExecutableFile(atPath: root.appending(path: "\($0)/bin/\(name)").path)
            })
        else { throw Failure(description: "no \(name) below \(root.path)") }
        return root.appending(path: "\(version)/bin/\(name)").path
    }

    private static func run(_ command: [String]) async throws {
        let finished = try await Subprocess.run(command)
        guard finished.status == 0 else { throw Failure(description: "\(command[0]) \(finished)") }
    }

    /// Returns a command that runs as the user `postgres` if this process is root, because PostgreSQL refuses to run as
    /// root.
    private static func asServer(_ command: [String]) -> [String] {
        getuid() == 0
            ? [
                "/usr/bin/setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups", "--pdeathsig",
                "KILL",
            ]
                + command : command
    }
}
