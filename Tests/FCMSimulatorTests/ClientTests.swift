import Foundation
import TestSupport
import Testing

/// The simulator command with third-party clients.
@Suite(.serialized) struct ClientTests {
    private static let folder = Project.root.appending(path: "Tests/FCMSimulatorTests/Clients").path

    /// Clients from PyPI are skipped, with a printed line, if they cannot be installed.
    @Test(arguments: ["google_auth", "firebase_admin", "google_api", "greedy"])
    func servesThirdPartyClients(name: String) async throws {
        let ended = try await Subprocess.run(
            [
                "/usr/bin/python3", "\(Self.folder)/foreign.py", name,
                Project.root.appending(path: ".local/clients").path,
            ], environment: ["SIMULATOR_COMMAND": Project.simulator, "PYTHONDONTWRITEBYTECODE": "1"],
            within: .seconds(300))
        if ended.status == 77, name != "greedy" {
            print("client \(name): \(ended.output)", terminator: "")
            return
        }
        #expect(ended.status == 0, "\(ended)")
    }
}
