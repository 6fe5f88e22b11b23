import Foundation
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import Routing

@Suite(.needsServers)
struct JobPublishTests {
    private static let app = "com.example.shop"

    @Test func publishesWithUserIDThatBrokerValidates() async throws {
        try await Installation.with { installation in
            let user = try #require(URL(string: installation.servers.broker)?.user ?? "guest")
            try await installation.addTokenApp(Self.app)
            try await installation.setApp(
                App(bundleID: Self.app, accounts: ["apns": AppAccount("TEAM000001")], allowedPublishers: [user]))
            try await installation.withWorker { worker in
                try await installation.eventuallyConsumes(worker)
                let job = JobText("named", app: Self.app, to: [Token.random()]).json
                let published = try await installation.martlet(["job", "publish"], input: job)
                #expect(published.status == 0, "\(published) \(worker.errors)")
                try await eventually("the job ends: \(installation.results.rejections) \(worker.errors)") {
                    installation.results.count == 1 || !installation.results.rejections.isEmpty
                }
            }
            #expect(installation.results.tally == ["sent": 1], "\(installation.results.rejections)")
        }
    }

    @Test func waitsForOutcomeOfEachRecipient() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            let declared = try await installation.martlet(["doctor", "--declare"])
            try await installation.withWorker { worker in
                let (good, bad) = (Token.random(), Token.random(Token.bad))
                let both = JobText("both", app: Self.app, to: [good, bad]).json
                let mixed = try await installation.martlet(["job", "publish", "--wait", "60"], input: both)
                let (head, lines) = (
                    mixed.output.prefix { $0 != "\n" }, mixed.output.split(separator: "\n").dropFirst()
                )
                #expect(head.hasPrefix("published job both"), "\(mixed) \(declared) \(worker.errors)")
                #expect(
                    Set(lines) == ["\(good) sent 200", "\(bad) rejected 400 BadDeviceToken"],
                    "\(mixed) \(worker.errors)")
                #expect(mixed.status == 1)
                let one = JobText("one", app: Self.app, to: [Token.random()]).json
                let sent = try await installation.martlet(["job", "publish", "--wait", "60"], input: one)
                #expect(sent.status == 0, "\(sent) \(worker.errors)")
                // If two jobs have the same id at the same time, each command gets the outcomes of its own job.
                let (first, second) = (Token.random(Token.slow(500)), Token.random(Token.bad))
                async let mine = installation.martlet(
                    ["job", "publish", "--wait", "60"], input: JobText("same", app: Self.app, to: [first]).json)
                async let theirs = installation.martlet(
                    ["job", "publish", "--wait", "60"], input: JobText("same", app: Self.app, to: [second]).json)
                let (heard, heardOther) = try await (mine, theirs)
                #expect(heard.status == 0 && heard.output.hasSuffix("\n\(first) sent 200\n"), "\(heard)")
                #expect(
                    heardOther.status == 1 && heardOther.output.hasSuffix("\n\(second) rejected 400 BadDeviceToken\n"),
                    "\(heardOther)")
                let unknown = JobText("unknown", app: "com.example.nobody", to: [good]).json
                let rejected = try await installation.martlet(["job", "publish", "--wait", "60"], input: unknown)
                #expect(rejected.status == 1 && rejected.errors.contains("app: "), "\(rejected) \(worker.errors)")
            }
            let nobody = JobText("nobody", app: Self.app, to: [Token.random()]).json
            let late = try await installation.martlet(["job", "publish", "--wait", "1"], input: nobody)
            #expect(
                late.status == 1 && late.errors.hasPrefix("after 1 s, outcomes are missing for 1 of 1 recipient"),
                "\(late)")
            let silent = JobText("silent", app: Self.app, to: [Token.random()], more: #","results":"problems""#).json
            let vain = try await installation.martlet(["job", "publish", "--wait", "1"], input: silent)
            #expect(vain.status == 64 && vain.errors.contains("so no sent outcomes are published"), "\(vain)")
        }
    }

    @Test func reportsThatOutcomesMayHaveBeenMissed() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            _ = try await installation.martlet(["doctor", "--declare"])
            var url = try #require(URLComponents(string: installation.servers.broker))
            let proxy = try TCPProxy(target: UInt16(clamping: url.port ?? 5_672))
            defer { proxy.stop() }
            (url.host, url.port) = ("127.0.0.1", Int(proxy.port))
            let configuration = try installation.configuration(["amqp.url": url.string], file: "cut.yaml")
            let command = try Subprocess(
                [Project.command, "job", "publish", "--wait", "120", "--config", configuration],
                input: JobText("cut", app: Self.app, to: [Token.random()]).json, in: installation.folder)
            try await eventually("published: \(command.errors)") { command.output.hasPrefix("published job cut") }
            proxy.cut()
            try await eventually("the command reports the loss: \(command.errors)") {
                command.errors.contains("the connection to the broker was lost: outcomes may have been missed")
            }
            command.signal(SIGKILL)
            _ = try await command.finish()
        }
    }

    @Test func rejectsJobsBeyondConfiguredLimits() async throws {
        try await Installation.with { installation in
            let job = JobText("two", app: Self.app, to: Token.random(count: 2))
            let limits = [
                (["jobs.maximum_recipients": "1"], "recipients: has 2, more than jobs.maximum_recipients = 1"),
                (["jobs.maximum_bytes": "1000"], "body: is larger than "),
            ]
            var large = job
            large.payload = #"{"aps":{"alert":"\#(String(repeating: "x", count: 2_000))"}}"#
            for (changes, problem) in limits {
                let refused = try await installation.martlet(["job", "publish"], changes, input: large.json)
                #expect(refused.status == 1 && refused.errors.hasPrefix(problem), "\(refused)")
            }
            let once = JobText("x", app: Self.app, to: ["aa"], more: #","at_most_once":true"#).json
            let nameless = once.replacing(#""id":"x","#, with: "")
            let refused = try await installation.martlet(["job", "publish"], input: nameless)
            #expect(refused.status == 1 && refused.errors.hasPrefix("id: is required with at_most_once"), "\(refused)")
            // A pipe in place of a file.
            let configuration = try installation.configuration(file: "pipe.yaml")
            let piped = try await Subprocess.run(
                ["/bin/sh", "-c", "cat | '\(Project.command)' job publish /dev/stdin --config '\(configuration)'"],
                input: nameless, in: installation.folder)
            #expect(piped.status == 1 && piped.errors.hasPrefix("id: is required with at_most_once"), "\(piped)")
            let endless = try await installation.martlet(["job", "publish", "/dev/zero"])
            #expect(
                endless.status == 1 && endless.errors == "body: is larger than jobs.maximum_bytes (134217728 bytes)\n",
                "\(endless)")
            let missing = try await installation.martlet(["job", "publish", "missing.json"])
            #expect(
                missing.status == 64 && missing.errors.contains("cannot read missing.json: No such file or directory"),
                "\(missing)")
            let far = JobText("far", app: Self.app, to: ["aa"], more: #","send_at":"2099-01-01T00:00:00Z""#).json
            let late = try await installation.martlet(["job", "publish"], input: far)
            #expect(late.status == 1 && late.errors.hasPrefix("send_at: is more than 90 days ahead"), "\(late)")
        }
    }
}
