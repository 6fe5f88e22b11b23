import Foundation
import TestSupport
import Testing

/// The command against clients that are not ours.
@Suite(.serialized) struct ClientTests {
    private static let folder = Project.root.appending(path: "Tests/FCMSimulatorTests/Clients").path

    /// Those of PyPI are left out, with a line that says so, where they can't be had.
    @Test(arguments: ["google_auth", "firebase_admin", "google_api", "greedy"])
    func servesAnotherProjectsClient(name: String) async throws {
        let ended = try await Subprocess.run(
            [
                "/usr/bin/python3", "\(Self.folder)/foreign.py", name,
                Project.root.appending(path: ".local/clients").path,
            ], environment: ["SIMULATOR_COMMAND": Project.command, "PYTHONDONTWRITEBYTECODE": "1"],
            within: .seconds(300))
        if ended.status == 77, name != "greedy" {
            print("client \(name): \(ended.output)", terminator: "")
            return
        }
        #expect(ended.status == 0, "\(ended)")
    }
}
