import Foundation
import TestSupport
import Testing

/// The command against clients that are not ours.
@Suite(.serialized) struct ClientTests {
    private static let folder = Project.root.appending(path: "Tests/WebPushSimulatorTests/Clients").path

    /// They are of PyPI, and left out, with a line that says so, where they can't be had.
    @Test(arguments: ["pywebpush", "http_ece"])
    func anotherProjectsClientIsServed(name: String) async throws {
        let ended = try await Subprocess.run(
            [
                "/usr/bin/python3", "\(Self.folder)/foreign.py", name,
                Project.root.appending(path: ".local/clients").path,
            ], environment: ["SIMULATOR_COMMAND": Project.command, "PYTHONDONTWRITEBYTECODE": "1"],
            within: .seconds(300))
        if ended.status == 77 {
            print("client \(name): \(ended.output)", terminator: "")
            return
        }
        #expect(ended.status == 0, "\(ended)")
    }
}
