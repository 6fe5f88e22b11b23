import Foundation
import PostgresClient
import TestSupport
import Foundations

/// The database server of a run, with an optional standby that takes its place when it fails. Commits wait for the
/// standby, so that no commit is lost.
final class DatabaseServers: Sendable {
    private let servers: LocalServers
    /// The URLs of the database, one for each server. The user in each URL may change all data.
    private let urls: [String]
    /// The index of the server that accepts writes.
    private let place = Mutex(0)

    /// Creates the description of the servers.
    ///
    /// - Parameter url: the URL of the database on the first server. The URLs of the other servers differ only in the
    ///   port.
    init(_ servers: LocalServers, url: String) throws {
        self.servers = servers
        urls = try servers.databasePorts.map { port in
            guard var components = URLComponents(string: url) else { throw URLError(.badURL) }
            components.port = Int(port)
            guard let url = components.string else { throw URLError(.badURL) }
            return url
        }
    }

    /// The server that accepts writes.
    var primary: LocalServers.Server { .postgres(number: place.withLock { $0 } + 1) }

    /// Makes commits wait for the standby, if there is one. Returns after the standby follows the primary.
    func pair() async throws {
        guard urls.count > 1 else { return }
        try await withPrimary { primary in
            try await eventually("the standby follows the primary") {
                try await primary.query("SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'").count == 1
            }
            try await primary.execute(script: "ALTER SYSTEM SET synchronous_standby_names = '*'")
            try await primary.execute(script: "SELECT pg_reload_conf()")
        }
    }

    /// Ends the primary and promotes the standby. The old primary then becomes the standby.
    ///
    /// - Parameters:
    ///   - time: the time for which no server accepts writes.
    ///   - end: a closure that stops or kills the primary.
    func failOver(after time: Duration, _ end: (LocalServers.Server) async throws -> Void) async throws {
        let old = primary
        try await end(old)
        try await Task.sleep(for: time)
        place.withLock { $0 = 1 - $0 }
        try await withPrimary { _ = try await $0.query("SELECT pg_promote()") }
        // Commits on the promoted server do not wait for a standby yet, because its settings do not require one.
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
