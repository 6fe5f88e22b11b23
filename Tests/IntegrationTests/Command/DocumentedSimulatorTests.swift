import Contract
import DeliveryPipeline
import Foundation
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// The documented configurations of a worker, with simulators that are started as documented.
@Suite(.needsServers)
struct DocumentedSimulatorTests {
    private static func section(_ heading: String, of page: String) throws -> String {
        let parts = try Documents.text(page).split(separator: heading)
        return String(try #require(parts.dropFirst().first?.split(separator: "\n## ").first))
    }

    /// Starts a simulator in the installation's folder, and returns it after it has printed its ports.
    private func simulator(of output: String, in installation: Installation) async throws -> Subprocess {
        let simulator = try Subprocess(
            [Project.simulator, output, "--port", "0", "--control-port", "0"], in: installation.folder)
        try await eventually("started: \(simulator.output)\(simulator.errors)") { simulator.output.contains("\n") }
        return simulator
    }

    /// Runs commands with a documented configuration, on the installation's broker and database.
    private struct Documented {
        let installation: Installation
        let path: String

        init(_ shown: String, in installation: Installation) throws {
            self.installation = installation
            path = try installation.write(
                shown.replacing(
                    "amqp://guest:guest@127.0.0.1",
                    with: "\(installation.servers.broker)\"\n  prefix: \"\(installation.names.prefix)"
                )
                .replacing("postgres://quickstart:quickstart@127.0.0.1/quickstart", with: installation.database.url),
                to: "documented.yaml")
        }

        func martlet(_ words: [String], input: String = "") async throws -> Subprocess.Finished {
            try await Subprocess.run(
                [Project.command] + words + ["--config", path], input: input, in: installation.folder)
        }

        /// Runs the documented commands for the credential and the app, and returns what they print.
        func prepare(_ lines: String, commands count: Int) async throws -> String {
            let commands = lines.matches(of: /(?m)^martlet ((?:credential|app) .*)$/).map { String($0.1) }
            #expect(commands.count == count)
            var said = ""
            for command in commands {
                let done = try await martlet(command.split(separator: " ").map(String.init))
                #expect(done.status == 0, "\(command): \(done)")
                said += done.output
            }
            return said
        }

        /// Returns what `martlet job publish --wait` prints while a worker runs.
        func publish(_ job: String) async throws -> String {
            let worker = try Subprocess(
                [Project.command, "worker", "--config", path, "--set", "http.listen="], in: installation.folder)
            defer { worker.signal(SIGKILL) }
            try await installation.eventuallyConsumes(worker)
            let sent = try await martlet(["job", "publish", "--wait", "60"], input: job)
            #expect(sent.status == 0, "\(sent) \(worker.errors)")
            worker.signal(SIGTERM)
            #expect(try await worker.finish().status == 0)
            return sent.output
        }
    }

    private func job(in lines: String) throws -> String {
        String(try #require(lines.firstMatch(of: /<<'END'\n((?:.|\n)*)END/)).1)
    }

    @Test func sendsToFCMSimulatorWithDocumentedConfiguration() async throws {
        try await Installation.with { installation in
            let section = try Self.section("## Connect a worker\n", of: "docs/simulator-fcm.md")
            let simulator = try await simulator(of: "fcm", in: installation)
            defer { simulator.signal(SIGKILL) }
            let port = try #require(simulator.output.firstMatch(of: /on https:\/\/127\.0\.0\.1:([0-9]+)/)?.1)

            let shown = try #require(Documents.blocks("yaml", in: section).first)
            #expect(shown.split(separator: "\n").count == 10)
            let documented = try Documented(shown.replacing(":2297", with: ":\(port)"), in: installation)
            let lines = try #require(Documents.blocks("sh", in: section).first)
            _ = try await documented.prepare(lines, commands: 3)
            let sent = try await documented.publish(try job(in: lines))
            #expect(sent.contains("device-1:APA91bExample sent 200"), "\(sent)")
        }
    }

    @Test func sendsToWebPushSimulatorWithDocumentedConfiguration() async throws {
        try await Installation.with { installation in
            let section = try Self.section("## Try it with the simulator\n", of: "docs/webpush.md")
            let simulator = try await simulator(of: "webpush", in: installation)
            defer { simulator.signal(SIGKILL) }
            let control = try #require(simulator.output.firstMatch(of: /control (http:\/\/127\.0\.0\.1:[0-9]+)/)?.1)
            let services = simulator.output.matches(
                of: /(apple|mozilla|google|microsoft) https:\/\/127\.0\.0\.1:([0-9]+)/)
            #expect(services.count == 4)

            var shown = try #require(Documents.blocks("yaml", in: section).first)
            #expect(shown.split(separator: "\n").count <= 10)
            for (service, port) in zip(services, 2397...2400) {
                shown = shown.replacing("localhost:\(port)", with: "localhost:\(service.2)")
            }
            let documented = try Documented(shown, in: installation)
            func run(_ arguments: [String]) async throws -> String {
                let finished = try await Subprocess.run(arguments, in: installation.folder)
                #expect(finished.status == 0, "\(arguments): \(finished)")
                return finished.output
            }
            _ = try await run(
                [
                    "/usr/bin/openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out",
                    "vapid.pem",
                ])
            let lines = try #require(
                Documents.blocks("sh", in: section).first { $0.contains("martlet worker") })
            let said = try await documented.prepare(lines, commands: 2)
            let key = try #require(said.firstMatch(of: /applicationServerKey: (\S+)/)?.1)
            var recipients: [String] = []
            for service in services {
                let subscribed = try await run(
                    [
                        "/usr/bin/curl", "-sS", "--fail", "\(control)/subscriptions", "-d",
                        #"{"persona":"\#(service.1)","application_server_key":"\#(key)"}"#,
                    ])
                // The answer is a list of one subscription.
                recipients.append("{\"subscription\": \(subscribed.drop { $0 != "{" }.prefix { $0 != "]" })}")
            }
            let example = #"{"subscription": {"endpoint":"https://localhost:2399/…","keys":{…}}}"#
            let job = try job(in: lines)
            #expect(job.contains(example))
            let sent = try await documented.publish(
                job.replacing(example, with: recipients.joined(separator: ",")))
            #expect(sent.matches(of: /[ ]sent 201/).count == 4, "\(sent)")
        }
    }
}
