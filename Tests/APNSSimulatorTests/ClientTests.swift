import Foundation
import TestSupport
import Testing

/// The simulator command with third-party clients and with hostile clients. The tests run serially, because each client
/// may load the whole machine.
@Suite(.serialized) struct ClientTests {
    private static let folder = Project.root.appending(path: "Tests/APNSSimulatorTests/Clients").path

    private func run(_ arguments: [String]) async throws -> Subprocess.Finished {
        try await Subprocess.run(
            ["/usr/bin/python3"] + arguments,
            environment: ["SIMULATOR_COMMAND": Project.simulator, "PYTHONDONTWRITEBYTECODE": "1"], within: .seconds(300)
        )
    }

    /// Clients that Debian does not package are skipped with a printed notice if they are not installed.
    @Test(arguments: ["curl", "certificate", "nghttp", "h2load", "httpx", "aioapns", "pyapns2", "gobiko"])
    func servesClientOfOtherProject(name: String) async throws {
        let ended = try await run(
            ["\(Self.folder)/foreign.py", name, Project.root.appending(path: ".local/clients").path])
        if ended.status == 77, !["curl", "certificate", "nghttp", "h2load", "httpx"].contains(name) {
            print("client \(name): \(ended.output)", terminator: "")
            return
        }
        #expect(ended.status == 0, "\(ended)")
    }

    @Test(arguments: [
        "above_the_limit", "cancelled_streams", "head", "trailers", "repeated_fields", "malformed_requests",
        "slow_handshake", "no_preface", "endless_headers", "slow_body", "stop_amid_requests", "pings", "settings",
        "priorities", "empty_data", "continuations", "unread_refusals", "long_body", "quick_connections",
        "no_descriptors_left",
    ])
    func survivesHostileClient(what: String) async throws {
        let ended = try await run(["\(Self.folder)/rude.py", what])
        #expect(ended.status == 0, "\(ended)")
    }
}
