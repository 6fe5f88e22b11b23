import Foundation
import PostgresClient
import TestSupport
import Threading

/// The database's server, and perhaps another one that follows it and takes its place when it is gone. Commits wait for the
/// one that follows, so that none is forgotten.
final class DatabaseServers: Sendable {
    private let servers: LocalServers
    /// The way to the database at each of them; whose it is may change data of any kind.
    private let urls: [String]
    private let place = Mutex(0)

    /// - Parameter url: at the first, which the others follow.
    init(_ servers: LocalServers, url: String) throws {
        self.servers = servers
        urls = try servers.databasePorts.map { port in
            guard var components = URLComponents(string: url) else { throw URLError(.badURL) }
            components.port = Int(port)
            guard let url = components.string else { throw URLError(.badURL) }
            return url
        }
    }

    /// That takes writes.
    var primary: LocalServers.Server { .postgres(number: place.withLock { $0 } + 1) }

    /// Returns when commits wait for the one that follows, if there is one.
    func pair() async throws {
        guard urls.count > 1 else { return }
        try await withPrimary { primary in
            try await eventually("somebody follows") {
                try await primary.query("SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'").count == 1
            }
            try await primary.execute(script: "ALTER SYSTEM SET synchronous_standby_names = '*'")
            try await primary.execute(script: "SELECT pg_reload_conf()")
        }
    }

    /// The one that follows takes over once the other has been gone for a while, and is followed by that.
    /// - Parameter end: of the one that takes writes.
    func failOver(after time: Duration, _ end: (LocalServers.Server) async throws -> Void) async throws {
        let old = primary
        try await end(old)
        try await Task.sleep(for: time)
        place.withLock { $0 = 1 - $0 }
        try await withPrimary { _ = try await $0.query("SELECT pg_promote()") }
        // Nobody waits for it yet: what it has copied of the other's settings does not say so.
        try await servers.follow(old)
        try await pair()
    }

    private func withPrimary(_ body: (PostgresConnection) async throws -> Void) async throws {
        let url = urls[place.withLock { $0 }]
        let connection = try await PostgresConnection.connect(PostgresConfiguration(url: url))
        do {
            try await body(connection)
        } catch {
            await connection.close()
            throw error
        }
        await connection.close()
    }
}
