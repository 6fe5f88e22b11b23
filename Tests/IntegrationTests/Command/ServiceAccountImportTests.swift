import Foundation
import TestSupport
import TestTraits
import Testing

@Suite(.needsServers)
struct ServiceAccountImportTests {
    @Test func refusesTokenURIThatNoWorkerUses() async throws {
        try await Installation.with { installation in
            let simulator = try Subprocess(
                [Project.simulator, "fcm", "--port", "0", "--control-port", "0"], in: installation.folder)
            defer { simulator.signal(SIGKILL) }
            try await eventually("started: \(simulator.output)\(simulator.errors)") { simulator.output.contains("\n") }
            let port = try #require(simulator.output.firstMatch(of: /on https:\/\/127\.0\.0\.1:([0-9]+)/)?.1)
            let words = ["credential", "import", ".local/simulator/service-account.json", "--output", "fcm"]

            let refused = try await installation.martlet(words)
            let problem = "token_uri https://localhost:\(port)/token is not Google's, and fcm.token_endpoint is not set"
            #expect(refused.status == 64 && refused.errors.contains(problem), "\(refused)")
            let other = try await installation.martlet(words, ["fcm.token_endpoint": "localhost:1"])
            #expect(other.status == 64 && other.errors.contains("fcm.token_endpoint is localhost:1:"), "\(other)")
            let trial = try await installation.martlet(words + ["--dry-run"])
            #expect(trial.status == 64 && trial.errors.contains(problem) && trial.output.isEmpty, "\(trial)")

            let settings = ["fcm.token_endpoint": "127.0.0.1:\(port)"]
            let planned = try await installation.martlet(
                words + ["--dry-run"],
                ["fcm.token_endpoint": "127.0.0.1:\(port)", "database.url": nil, "keyring.file": nil])
            #expect(planned.status == 0 && planned.output.hasSuffix("nothing was imported\n"), "\(planned)")
            let imported = try await installation.martlet(words, settings)
            #expect(imported.status == 0, "\(imported)")
            let fine = try await installation.martlet(["doctor"], settings)
            #expect(!fine.output.contains("token_uri"), "\(fine)")
            let doctor = try await installation.martlet(["doctor"])
            #expect(
                doctor.output.firstMatch(of: /WARN +provider rules .*fcm simulated-project/) != nil
                    && doctor.output.contains(problem), "\(doctor)")
        }
    }
}
