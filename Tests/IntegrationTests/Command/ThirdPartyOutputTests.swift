import Foundation
import MartletOutputs
import PushModel
import Store
import TestSupport
import TestTraits
import Testing

/// A program with an output from another package: `examples/third-party-output`, which `scripts/test` builds.
@Suite(.needsServers, .endsAHang)
struct ThirdPartyOutputTests {
    private static let program = Project.example
    private static let app = "com.example.ship"

    private struct Line: Decodable {
        let id, app, to: String
        let payload: [String: [String: String]]
    }

    private func run(_ arguments: [String], _ installation: Installation, input: String = "") async throws
        -> Subprocess.Finished
    {
        let configuration = try installation.configuration(file: "\(UUID().uuidString).yaml")
        return try await Subprocess.run(
            [Self.program] + arguments + ["--config", configuration], input: input, in: installation.folder)
    }

    @Test func deliversThroughThirdPartyOutput() async throws {
        try await Installation.with { installation in
            let added = try await run(["app", "set", Self.app, "--output", "logbook"], installation)
            #expect(added.status == 0 && added.output == "app \(Self.app): production\n", "\(added)")

            let recorder = installation.path("book.ndjson")
            let configuration = try installation.configuration(["logbook.file": recorder, "logbook.page": "200"])
            let worker = try Subprocess([Self.program, "worker", "--config", configuration], in: installation.folder)
            do {
                try await eventually("the worker starts: \(worker.errors)") { worker.errors.contains("Worker started") }
                var jobs = [
                    JobText(
                        "all", app: Self.app, to: ["bridge", "\u{E9}quipage", "ashore-7"], more: #","output":"logbook""#
                    ),
                    JobText("late", app: Self.app, to: ["a"], more: #","output":"logbook","expires_at":1"#),
                    JobText("long", app: Self.app, to: ["b"], more: #","output":"logbook""#),
                    JobText("nobody's", app: "com.example.unknown", to: ["c"], more: #","output":"logbook""#),
                ]
                jobs[2].payload = #"{"aps":{"alert":"\#(String(repeating: "x", count: 300))"}}"#
                try await installation.publish(jobs)
                try await installation.results.wait(for: 5)
                try await eventually("the unknown app's job is rejected") { installation.results.rejections.count == 1 }
            } catch {
                worker.signal(SIGKILL)
                throw Failure(description: "\(error)\n\(worker.errors)")
            }
            worker.signal(SIGTERM)
            #expect(try await worker.finish().status == 0, "\(worker.errors)")

            #expect(
                installation.results.tally == [
                    "sent": 2, "unregistered NotAboard": 1, "expired": 1, "rejected PageTooShort by logbook": 1,
                ])
            #expect(try await installation.markedTokens(of: Self.app) == ["ashore-7"])
            let lines = try String(contentsOfFile: recorder, encoding: .utf8).split(separator: "\n").map {
                try JSONDecoder().decode(Line.self, from: Data($0.utf8))
            }
            #expect(lines.map(\.to) == ["bridge", "\u{E9}quipage"] && lines.allSatisfy { $0.app == Self.app })
            #expect(lines.allSatisfy { $0.payload == ["aps": ["alert": "hello"]] })
        }
    }

    /// The commands know the output's name and settings, and refuse to import credentials, which the output does not
    /// need.
    @Test func commandsKnowThirdPartyOutput() async throws {
        try await Installation.with { installation in
            let wrong = try await run(["worker", "--set", "logbook.page=1"], installation)
            #expect(
                wrong.status == 78
                    && wrong.errors.contains(
                        "configuration key logbook.page (MARTLET_LOGBOOK_PAGE): is 1, but must be a whole number from 100"
                    ),
                "\(wrong)")
            let unknown = try await run(["doctor", "--set", "logbook.pages=200"], installation)
            #expect(unknown.errors.contains("did you mean logbook.page?"), "\(unknown)")
            let imported = try await run(["credential", "import", "x.pem", "--output", "logbook"], installation)
            #expect(imported.errors.contains("logbook needs no credentials"), "\(imported)")
            let names = (Martlet.outputs.map(\.name) + ["logbook"]).joined(separator: ", ")
            let other = try await run(["app", "set", Self.app, "--output", "pigeon"], installation)
            #expect(other.errors.contains("is pigeon, but must be one of: \(names)"), "\(other)")
        }
    }
}
