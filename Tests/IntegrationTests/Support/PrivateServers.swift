import Foundation
import TestSupport
import Testing

/// Gives a suite a broker and a database of its own, which it may stop. They go when the suite or the process ends.
struct PrivateServers: SuiteTrait, TestScoping {
    @TaskLocal static var current: Installation.Servers?
    private static let instance = "integration-\(ProcessInfo.processInfo.processIdentifier)"

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
        let values = try variables()
        return Installation.Servers(
            broker: try #require(values["MARTLET_TEST_AMQP_URL"]),
            database: try #require(values["MARTLET_TEST_DATABASE_URL"]))
    }

    /// Has the broker carry out some Erlang, in the surroundings that its own process has.
    static func evaluateInBroker(_ expression: String) async throws {
        let pid = try #require(try variables()["LOCAL_RABBITMQ_PID"])
        let surroundings = try String(contentsOfFile: "/proc/\(pid)/environ", encoding: .utf8).split(separator: "\0")
        let environment = assignments(in: surroundings).filter {
            $0.key == "HOME" || $0.key == "RABBITMQ_NODENAME" || $0.key == "ERL_EPMD_PORT"
        }
        let finished = try await Subprocess.run(
            ["/usr/lib/rabbitmq/bin/rabbitmqctl", "eval", expression], environment: environment)
        guard finished.status == 0 else { throw Failure(description: "rabbitmqctl \(finished)") }
    }

    private static func variables() throws -> [String: String] {
        let text = try String(contentsOf: folder.appending(path: "services.env"), encoding: .utf8)
        return assignments(in: text.split(separator: "\n"))
    }

    private static func assignments(in lines: [Substring]) -> [String: String] {
        Dictionary(
            lines.compactMap { line in
                line.firstIndex(of: "=").map { (String(line[..<$0]), String(line[line.index(after: $0)...])) }
            }
        ) { $1 }
    }
}
