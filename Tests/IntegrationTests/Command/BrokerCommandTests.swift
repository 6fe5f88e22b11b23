import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: Installation.Servers.shared != nil, Installation.Servers.areMissing))
struct BrokerCommandTests {
    private static let app = "com.example.shop"

    @Test func aPublishedJobsEventsCanBeFollowed() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            try await installation.withWorker(["http.listen": "127.0.0.1:\(try await freePort())"]) { worker in
                let configuration = try installation.configuration()
                let tail = try Subprocess(
                    [
                        Project.command, "results", "tail", "--bind", "*.sent.#", "--limit", "1", "--config",
                        configuration,
                    ])
                let job = JobText("by hand", app: Self.app, to: [Token.random(), Token.random(Token.bad)]).json
                // The tail says nothing when it is bound, so jobs are published until it has seen an event.
                try await eventually("\(tail.errors)\(worker.errors)") {
                    let published = try await installation.martlet(["job", "publish", "--lane", "urgent"], input: job)
                    #expect(published.status == 0, "\(published)")
                    #expect(published.output.hasPrefix("published job by hand with 2 recipients to "))
                    return !tail.isRunning
                }
                let finished = try await tail.finish()
                #expect(finished.status == 0, "\(finished)")
                let event = try JSONDecoder().decode(ResultEvent.self, from: Data(finished.output.utf8))
                #expect(event.kind == "sent" && event.app == Self.app)
            }
        }
    }

    @Test func appsAreSetShownAndRemoved() async throws {
        try await Installation.with { installation in
            let credential = try await installation.addTokenApp(Self.app)
            let new = try await installation.martlet(["app", "set", "com.example.new"])
            #expect(new.status == 64)
            #expect(new.errors.contains("--team"), "\(new)")
            #expect(
                try await installation.martlet(["app", "set", "com.example.new", "--team", "TEAM000001"]).status == 0)
            let listed = try await installation.martlet(["app", "list", "--json"]).output
            #expect(listed.contains(Self.app) && listed.contains("com.example.new"))
            let shown = try await installation.martlet(["app", "show", "com.example.new"])
            #expect(shown.output.contains(credential), "\(shown)")
            #expect(try await installation.martlet(["app", "remove", "com.example.new"]).status == 0)
            let gone = try await installation.martlet(["app", "show", "com.example.new"])
            #expect(gone.status == 1)
            #expect(gone.errors.contains("com.example.new"), "\(gone)")
        }
    }

    @Test func theDoctorFindsWhatIsWrong() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            let good = try await installation.martlet(["doctor"])
            #expect(good.status == 0, "\(good)")
            #expect(!good.output.contains("FAIL") && good.output.contains("1 can be opened, for 1 apps"), "\(good)")

            let port = try await freePort()
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
