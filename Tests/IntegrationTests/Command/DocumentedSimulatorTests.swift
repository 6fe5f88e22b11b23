import DeliveryPipeline
import Foundation
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// The configurations that docs/simulator.md shows for a worker, against simulators started as shown there.
@Suite(.needsServers)
struct DocumentedSimulatorTests {
    private static func section(_ heading: String) throws -> String {
        let parts = try Documents.text("docs/simulator.md").split(separator: heading)
        return String(try #require(parts.dropFirst().first?.split(separator: "\n## ").first))
    }

    @Test func sendsToFCMSimulatorWithDocumentedConfiguration() async throws {
        try await Installation.with { installation in
            let section = try Self.section("## A worker against FCM's simulator\n")
            let simulator = try Subprocess(
                [Project.command, "simulate", "fcm", "--port", "0", "--control-port", "0"], in: installation.folder)
            defer { simulator.signal(SIGKILL) }
            try await eventually("\(simulator.output)\(simulator.errors)") { simulator.output.contains("\n") }
            let port = try #require(simulator.output.firstMatch(of: /on https:\/\/127\.0\.0\.1:([0-9]+)/)?.1)

            let shown = try #require(Documents.blocks("yaml", in: section).first)
            #expect(shown.split(separator: "\n").count == 10)
            let configuration = try installation.write(
                shown.replacing(":2297", with: ":\(port)")
                    .replacing(
                        "amqp://guest:guest@127.0.0.1",
                        with: "\(installation.servers.broker)\"\n  prefix: \"\(installation.names.prefix)"
                    )
                    .replacing(
                        "postgres://quickstart:quickstart@127.0.0.1/quickstart", with: installation.database.url),
                to: "documented.yaml")
            func martlet(_ words: [String], input: String = "") async throws -> Subprocess.Finished {
                try await Subprocess.run(
                    [Project.command] + words + ["--config", configuration], input: input, in: installation.folder)
            }

            let lines = try #require(Documents.blocks("sh", in: section).first)
            let commands = lines.matches(of: /(?m)^martlet ((?:credential|app) .*)$/).map { String($0.1) }
            #expect(commands.count == 3)
            for command in commands {
                let done = try await martlet(command.split(separator: " ").map(String.init))
                #expect(done.status == 0, "\(command): \(done)")
            }
            let job = try #require(lines.firstMatch(of: /<<'END'\n((?:.|\n)*)END/)).1
            let worker = try Subprocess(
                [Project.command, "worker", "--config", configuration, "--set", "http.listen="], in: installation.folder
            )
            defer { worker.signal(SIGKILL) }
            try await eventually("a worker runs: \(worker.errors)") { worker.errors.contains("Worker started") }
            let sent = try await martlet(["job", "publish", "--wait", "60"], input: String(job))
            #expect(
                sent.status == 0 && sent.output.contains("device-1:APA91bExample sent 200"), "\(sent) \(worker.errors)")
            worker.signal(SIGTERM)
            #expect(try await worker.finish().status == 0)
        }
    }
}
