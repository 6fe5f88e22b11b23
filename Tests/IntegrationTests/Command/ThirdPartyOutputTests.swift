import Foundation
import MartletOutputs
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import WireTestSupport

/// A program with an output from another package: `examples/third-party-output`, which `scripts/test` builds.
@Suite(.needsServers, .endsAHang)
struct ThirdPartyOutputTests {
    private static let program = Project.example
    private static let app = "com.example.ship"

    private struct Message: Decodable {
        let topic, message: String
    }

    private func run(
        _ arguments: [String], _ installation: Installation, _ changes: [String: String?] = [:]
    ) async throws -> Subprocess.Finished {
        let configuration = try installation.configuration(changes, file: "\(UUID().uuidString).yaml")
        return try await Subprocess.run(
            [Self.program] + arguments + ["--config", configuration], in: installation.folder)
    }

    /// Answers as ntfy does. A message without text counts as invalid.
    @Sendable private static func answer(_ request: ScriptedServer.Request) -> ScriptedServer.Answer {
        guard request.fields["authorization"] == "Bearer tk_ship" else { return .init(status: 401) }
        guard let message = try? JSONDecoder().decode(Message.self, from: Data(request.bytes)) else {
            return .init(status: 400, body: #"{"code":40009,"http":400,"error":"invalid request: topic invalid"}"#)
        }
        return .init(status: 200, body: #"{"id":"m-\#(message.topic)","event":"message"}"#)
    }

    @Test func deliversThroughThirdPartyOutput() async throws {
        try await ScriptedServer.with(answer: Self.answer) { server in
            try await Installation.with { installation in
                let changes = ["ntfy.endpoint": "localhost:\(server.port)", "ntfy.ca_file": server.authorityFile]
                let token = try installation.write("tk_ship\n", to: "token.txt")
                let imported = try await run(["credential", "import", token, "--ntfy", "ship"], installation)
                #expect(imported.status == 0, "\(imported)")
                let added = try await run(["app", "set", Self.app, "--ntfy", "ship"], installation)
                #expect(added.status == 0, "\(added)")
                let checked = try await run(["credential", "check", "--all"], installation, changes)
                #expect(checked.status == 0 && checked.output.contains("status 400"), "\(checked)")

                let configuration = try installation.configuration(changes)
                let worker = try Subprocess(
                    [Self.program, "worker", "--config", configuration], in: installation.folder)
                do {
                    try await installation.eventuallyConsumes(worker)
                    var jobs = [
                        JobText("all", app: Self.app, to: ["bridge", "galley"], more: #","output":"ntfy""#),
                        JobText("late", app: Self.app, to: ["a"], more: #","output":"ntfy","expires_at":1"#),
                        JobText("empty", app: Self.app, to: ["b"], more: #","output":"ntfy""#),
                    ]
                    jobs[0].payload = #"{"message":"Land!","topic":"elsewhere"}"#
                    jobs[2].payload = "{}"
                    try await installation.publish(jobs)
                    try await installation.results.wait(for: 4)
                } catch {
                    worker.signal(SIGKILL)
                    throw Failure(description: "\(error)\n\(worker.errors)")
                }
                worker.signal(SIGTERM)
                #expect(try await worker.finish().status == 0, "\(worker.errors)")

                #expect(
                    installation.results.tally == ["sent": 2, "expired": 1, "rejected Status400 by ntfy": 1])
                let messages = server.requests.map(\.body).filter { $0.contains("Land!") }
                #expect(
                    messages.sorted()
                        == ["bridge", "galley"].map {
                            #"{"message":"Land!","topic":"elsewhere","topic":"\#($0)"}"#
                        })
            }
        }
    }

    @Test func commandsSupportThirdPartyOutput() async throws {
        try await Installation.with { installation in
            let wrong = try await run(["worker", "--set", "ntfy.request_timeout=0"], installation)
            #expect(
                wrong.status == 78
                    && wrong.errors.contains(
                        "configuration key ntfy.request_timeout (MARTLET_NTFY_REQUEST_TIMEOUT): is 0, but must be a "
                            + "whole number from 1"),
                "\(wrong)")
            let unknown = try await run(["doctor", "--set", "ntfy.request_timeouts=9"], installation)
            #expect(unknown.errors.contains("did you mean ntfy.request_timeout?"), "\(unknown)")
            let file = try installation.write("no token", to: "x.txt")
            let imported = try await run(["credential", "import", file, "--ntfy", "ship"], installation)
            #expect(imported.errors.contains("is not an access token"), "\(imported)")
            let names = (Martlet.outputs.map(\.name) + ["ntfy"]).joined(separator: ", ")
            let other = try await run(["app", "set", Self.app, "--output", "pigeon"], installation)
            #expect(other.errors.contains("is pigeon, but must be one of: \(names)"), "\(other)")
        }
    }
}
