import Foundation
import TestSupport
import Testing

/// Gives a suite a broker and a database of its own, which it may stop. They go when the suite or the process ends.
struct PrivateServers: SuiteTrait, TestScoping {
    private static let instance = "integration-\(ProcessInfo.processInfo.processIdentifier)"
    @TaskLocal static var current: Installation.Servers?

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Self.services("up", "--fresh", "--while", "\(ProcessInfo.processInfo.processIdentifier)")
        do {
            let servers = try Self.read()
            try await Self.$current.withValue(servers) { try await function() }
        } catch {
            Issue.record(error)
        }
        try await Self.services("wipe")
        try FileManager.default.removeItem(at: Self.folder)
    }

    enum Server: String { case rabbitmq, postgres }

    static func stop(_ server: Server) async throws { try await services("stop", server.rawValue) }
    static func start(_ server: Server) async throws { try await services("start", server.rawValue) }
    static func restart(_ server: Server) async throws { try await services("restart", server.rawValue) }

    private static var folder: URL { Project.root.appending(path: ".local/\(instance)") }

    private static func services(_ arguments: String...) async throws {
        let script = Project.root.appending(path: "scripts/services").path
        // Not tied to a parent: what `up` leaves running watches this process itself.
        let finished = try await Subprocess.run([script, "--instance", instance] + arguments, within: .seconds(120))
        guard finished.status == 0 else { throw Failure(description: "services \(arguments) \(finished)") }
    }

    private static func read() throws -> Installation.Servers {
        let text = try String(contentsOf: folder.appending(path: "services.env"), encoding: .utf8)
        let values = Dictionary(
            text.split(separator: "\n").compactMap { line in
                line.firstIndex(of: "=").map { (String(line[..<$0]), String(line[line.index(after: $0)...])) }
            }
        ) { $1 }
        return Installation.Servers(
            broker: try #require(values["MARTLET_TEST_AMQP_URL"]),
            database: try #require(values["MARTLET_TEST_DATABASE_URL"]))
    }
}
