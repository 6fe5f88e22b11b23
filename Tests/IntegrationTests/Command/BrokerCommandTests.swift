import Foundation
import PushModel
import TestSupport
import TestTraits
import Testing

@Suite(.needsServers)
struct BrokerCommandTests {
    private static let app = "com.example.shop"

    @Test func tailsEventsOfPublishedJob() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            try await installation.withWorker(["http.listen": "127.0.0.1:\(try freePort())"]) { worker in
                let configuration = try installation.configuration()
                let tail = try Subprocess(
                    [
                        Project.command, "results", "tail", "--bind", "*.sent.#", "--limit", "1", "--config",
                        configuration,
                    ])
                let job = JobText("by hand", app: Self.app, to: [Token.random(), Token.random(Token.bad)]).json
                try await eventually(tail.errors) { tail.errors.contains("listening for *.sent.#") }
                try await installation.eventuallyConsumes(worker)
                let published = try await installation.martlet(["job", "publish", "--lane", "urgent"], input: job)
                #expect(
                    published.output.hasPrefix("published job by hand with 2 recipients to "),
                    "\(published) \(tail.errors)")
                // A single job is enough, because the command receives every event that is published after it prints
                // "listening for".
                try await eventually("the command ends: \(tail.errors)\(worker.errors)") { !tail.isRunning }
                let finished = try await tail.finish()
                #expect(finished.status == 0, "\(finished)")
                let event = try JSONDecoder().decode(ResultEvent.self, from: Data(finished.output.utf8))
                #expect(event.kind == "sent" && event.app == Self.app)
            }
        }
    }

    @Test func doctorReportsUnreachableServersAndMissingKeyring() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            let good = try await installation.martlet(["doctor"])
            #expect(good.status == 0, "\(good)")
            #expect(!good.output.contains("FAIL") && good.output.contains("1 can be opened, for 1 app"), "\(good)")

            let port = try freePort()
            let bad = try await installation.martlet(
                ["doctor"],
                [
                    "amqp.url": "amqp://127.0.0.1:\(port)/", "database.url": "postgres://127.0.0.1:\(port)/none",
                    "keyring.file": "/nowhere/keyring",
                ])
            #expect(bad.status == 1)
            for check in ["master key", "broker", "database"] {
                #expect(bad.output.contains(try Regex("FAIL +\(check) ")), "\(check): \(bad)")
            }
            #expect(bad.output.contains("127.0.0.1:\(port)") && bad.output.contains("/nowhere/keyring"), "\(bad)")
            #expect(bad.output.contains("checks failed"), "\(bad)")
        }
    }
}
