import Foundation
import TestSupport
import TestTraits
import Testing

/// A worker that delivers to the documented webhook receiver.
@Suite(.needsServers, .endsAHang)
struct WebhookWorkerTests {
    private static let app = "com.example.crm"
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    @Test func deliversToDocumentedWebhookReceiver() async throws {
        try await Installation.with { installation in
            let script = Project.root.appending(path: "examples/webhook-receiver/receiver.py").path
            let receiver = try Subprocess(
                ["/usr/bin/python3", "-B", script, "0"], environment: ["WEBHOOK_SECRETS": Self.secret])
            defer { receiver.signal(SIGKILL) }
            try await eventually("the receiver listens\n\(receiver.errors)") { receiver.output.contains(/port \d+\n/) }
            let port = try #require(receiver.output.firstMatch(of: /port (\d+)/).map { String($0.1) })
            let settings = ["webhook.private_hosts": "localhost:\(port)"]
            let file = try installation.write(
                #"{"url": "http://localhost:\#(port)/in", "secrets": ["\#(Self.secret)"]}"#, to: "hook.json")

            // The option for the account also selects the output.
            let imported = try await installation.martlet(["credential", "import", file, "--webhook", "sms"])
            #expect(imported.status == 0 && imported.output.contains("webhook sms, production"), "\(imported)")
            let added = try await installation.martlet(["app", "set", Self.app, "--webhook", "sms"])
            #expect(added.output == "app \(Self.app): webhook sms, production\n", "\(added)")
            let checked = try await installation.martlet(["credential", "check", "--all"], settings)
            #expect(checked.status == 0 && checked.output.contains("accepted an empty batch"), "\(checked)")
            let unnamed = try await installation.martlet(["credential", "check", "--all"])
            #expect(unnamed.status == 1 && unnamed.output.contains("webhook.private_hosts"), "\(unnamed)")

            let pushed = try await installation.martlet(
                ["push", "first", "--app", Self.app, "--credential", file, "--webhook", "sms", "--alert", "Hello"],
                settings)
            #expect(pushed.output == "first sent 200 receiver_id m-1\n", "\(pushed)")
            #expect(receiver.output.contains(#"first {"text": "Hello"}"#))

            try await installation.withWorker(settings) { worker in
                try await installation.eventuallyConsumes(worker)
                var text = JobText("text", app: Self.app, to: ["a", "gone-1"], more: #","output":"webhook""#)
                text.payload = #""Your parcel is on its way""#
                let many = JobText(
                    "many", app: Self.app, to: (0..<700).map { "r\($0)" }, more: #","output":"webhook""#)
                try await installation.publish([text, many])
                try await installation.results.wait(for: 702)
                #expect(!worker.errors.contains("whsec_"))
            }
            #expect(installation.results.tally == ["sent": 701, "unregistered NoSuchNumber": 1])
            #expect(try await installation.markedTokens(of: Self.app) == ["gone-1"])
            #expect(receiver.output.contains(#"a "Your parcel is on its way""#))
            #expect(![imported, added, checked, unnamed].contains { "\($0)".contains("whsec_") })
        }
    }

    /// The secret is shown only once, when the credential is created.
    @Test func createsWebhookCredentialWithSecret() async throws {
        try await Installation.with { installation in
            let created = try await installation.martlet([
                "credential", "create", "--webhook", "sms", "--url", "https://hooks.example.com/private",
            ])
            #expect(created.status == 0, "\(created)")
            #expect(created.output.contains(/whsec_[A-Za-z0-9+\/]{43}=/), "\(created)")
            let listed = try await installation.martlet(["credential", "list", "--json"])
            #expect(listed.output.contains(#""webhook" : "sms""#), "\(listed)")
            #expect(!listed.output.contains("whsec_") && !listed.output.contains("private"), "\(listed)")
            let nowhere = try await installation.martlet(["credential", "create", "--webhook", "sms"])
            #expect(nowhere.status != 0 && nowhere.errors.contains("--url"), "\(nowhere)")
        }
    }

    @Test func rejectsAccountOptionsOfOtherOutput() async throws {
        try await Installation.with { installation in
            let wrong = try await installation.martlet(["app", "set", Self.app, "--output", "apns", "--webhook", "sms"])
            #expect(wrong.status == 64 && wrong.errors.contains("--webhook is of webhook, not of apns"), "\(wrong)")
            #expect(wrong.errors.contains("\nUsage: martlet app set "), "\(wrong)")
            let both = try await installation.martlet([
                "app", "set", Self.app, "--team", "TEAM123456", "--webhook", "s",
            ])
            #expect(both.status == 64 && both.errors.contains("--team, --webhook: pass only one of them"), "\(both)")
        }
    }
}
