import Foundation
import TestSupport
import Testing

/// A trait that provides a suite with its own broker and database, which tests may stop. They are removed when the
/// suite or the process ends.
struct PrivateServers: SuiteTrait, TestScoping {
    typealias Server = LocalServers.Server

    private static let servers = LocalServers(instance: "integration-\(ProcessInfo.processInfo.processIdentifier)")
    @TaskLocal static var current: Installation.Servers?

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Self.servers.up()
        do {
            let urls = Installation.Servers(
                broker: try Self.servers.brokerURL, database: try Self.servers.databaseURL)
            try await Self.$current.withValue(urls) { try await function() }
        } catch {
            Issue.record(error)
        }
        try await Self.servers.wipe()
    }

    static func stop(_ server: Server) async throws { try await servers.stop(server) }
    static func start(_ server: Server) async throws { try await servers.start(server) }
    static func restart(_ server: Server) async throws { try await servers.restart(server) }
    static func evaluateInBroker(_ expression: String) async throws { try await servers.evaluateInBroker(expression) }
}
