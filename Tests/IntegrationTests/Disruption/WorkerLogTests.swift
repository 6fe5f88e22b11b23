import APNSSimulator
import Foundation
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// The log of a running worker, as a third-party program reads it.
@Suite(.needsServers, .endsAHang)
struct WorkerLogTests {
    private static let app = "com.example.shop"

    @Test func logsOnlyJSONLinesAndDocumentedEvents() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            let port = try #require(URLComponents(string: installation.servers.broker)?.port)
            let proxy = try TCPProxy(target: UInt16(clamping: port))
            defer { proxy.stop() }
            let worker = try installation.startWorker([
                "amqp.url": installation.servers.broker.replacing(":\(port)", with: ":\(proxy.port)"),
                "log.format": "json", "log.jobs": "all", "retry.delays": "1,2",
            ])
            defer { worker.signal(SIGKILL) }
            try await eventually("the worker starts with four connections: \(worker.errors)") {
                worker.errors.contains("worker.started")
                    && worker.errors.components(separatedBy: "\"broker.connected\"").count > 4
            }
            let tokens = Token.random(count: 2) + [Token.random(Token.bad)]
            try await installation.publish([JobText("order\u{7F}-1", app: Self.app, to: tokens)])
            try await installation.publish(raw: [#"{"id":"\u001b[31m\u202e","app":"nobody"}"#])
            try await eventually("both jobs are logged: \(worker.errors)") {
                worker.errors.contains("job.done") && worker.errors.contains("job.rejected")
            }
            var faults = StandingFaults()
            faults.answer = PlannedAnswer(.invalidProviderToken)
            await installation.simulator.setFaults(faults)
            try await installation.publish([JobText("order-2", app: Self.app, to: Token.random(count: 2))])
            try await eventually("a refusal: \(worker.errors)") { worker.errors.contains("credential.refused") }
            await installation.simulator.setFaults(StandingFaults())
            proxy.cut()
            try await eventually("a loss: \(worker.errors)") { worker.errors.contains("broker.connection.lost") }
            try await eventually("the worker reconnects: \(worker.errors)") {
                worker.errors.components(separatedBy: "\"broker.connected\"").count > 8
            }
            worker.signal(SIGTERM)
            let finished = try await worker.finish()
            #expect(finished.status == 0)

            let lines = try await read(finished.errors, in: installation.folder)
            #expect(lines.count == finished.errors.split(separator: "\n").count, "\(finished.errors)")
            let table = try documentedEvents()
            let names = lines.compactMap(\.event)
            #expect(names.filter { table[$0] == nil } == [], "docs/errors.md documents every event")
            for line in lines {
                #expect(line.instance == "test-worker" && line.hasTime, "\(line)")
                if let event = line.event { #expect(table[event]?.contains(line.severity) == true, "\(line)") }
            }
            #expect(names.first == "worker.starting" && names.last == "worker.stopped", "\(names)")
            let started = try #require(lines.first { $0.event == "worker.started" }).attributes
            // The worker waits for up to 5 s for the broker before it logs this line. On a busy machine, connecting can
            // take longer.
            let broker = "\(started["broker"] ?? "")"
            #expect(broker.contains("RabbitMQ") || broker == "not connected yet", "\(started)")
            #expect("\(started["database"] ?? "")".contains("PostgreSQL"), "\(started)")
            #expect(started["apps"] as? Int == 1 && started["credentials"] as? Int == 1, "\(started)")
            let done = try #require(lines.first { $0.event == "job.done" }).attributes
            #expect(done["job"] as? String == "order\u{7F}-1" && done["sent"] as? Int == 2, "\(done)")
            #expect(done["rejected"] as? Int == 1 && done["recipients"] as? Int == 3, "\(done)")
            let stopped = try #require(lines.last).attributes
            #expect(
                stopped["drain_ms"] is Int && (stopped["outcomes"] as? [String: Int])?["rejected"] == 1, "\(stopped)")
            for token in tokens { #expect(!finished.errors.contains(token), "no token is in the log") }
        }
    }

    /// systemd connects standard error to the journal, and identifies the file in the variable JOURNAL_STREAM.
    @Test(arguments: ["text", "json"]) func writesPrioritiesForJournal(format: String) async throws {
        try await Installation.with { installation in
            let file = try installation.configuration([
                "log.format": format, "database.url": "postgres://a@127.0.0.1:1/a",
            ])
            let worker = try Subprocess(
                [
                    "/bin/sh", "-c",
                    #"JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2) exec "$0" worker --config "$1""#,
                    Project.command, file,
                ], in: installation.folder)
            defer { worker.signal(SIGKILL) }
            try await eventually("the worker waits: \(worker.errors)") { worker.errors.contains("database.waiting") }
            worker.signal(SIGTERM)
            let lines = try await worker.finish().errors.split(separator: "\n")
            #expect(lines.allSatisfy { $0.hasPrefix("<") && $0.dropFirst(2).hasPrefix(">") }, "\(lines)")
            #expect(lines.contains { $0.hasPrefix("<4>") && $0.contains("database.waiting") }, "\(lines)")
            #expect(lines.first.map { $0.hasPrefix("<5>") && $0.contains("worker.starting") } == true, "\(lines)")
        }
    }

    /// A pipe holds 64 KiB. If its reader stops reading, neither deliveries nor the stop wait for it.
    @Test func deliversAndStopsWhileLogIsNotRead() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            let file = try installation.configuration(["log.jobs": "all"])
            let worker = try Subprocess(
                [
                    "/bin/sh", "-c", #"mkfifo "$2" && exec 9<>"$2" && exec "$0" worker --config "$1" 2>&9"#,
                    Project.command, file, installation.path("log.fifo"),
                ], in: installation.folder)
            defer { worker.signal(SIGKILL) }
            try await installation.publish(
                (0..<1_000).map { JobText("order-\($0)", app: Self.app, to: Token.random(count: 1)) })
            try await installation.results.wait(for: 1_000)
            worker.signal(SIGTERM)
            #expect(try await worker.finish().status == 0)
        }
    }

    // MARK: Reading the log

    private struct Line {
        let severity: String
        let event: String?
        let instance: String?
        let hasTime: Bool
        let attributes: [String: Any]
    }

    /// Returns the lines of a log as Python's JSON tool reads them. The tool fails at the first line that is not JSON.
    private func read(_ log: String, in folder: URL) async throws -> [Line] {
        let python = try await Subprocess.run(
            ["/usr/bin/python3", "-m", "json.tool", "--json-lines", "--compact"], input: log, in: folder)
        #expect(python.status == 0, "\(python)")
        return try python.output.split(separator: "\n").map { text in
            let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            let attributes = object["attributes"] as? [String: Any] ?? [:]
            return Line(
                severity: object["severity_text"] as? String ?? "", event: attributes["event.name"] as? String,
                instance: (object["resource"] as? [String: String])?["service.instance.id"],
                hasTime: (object["timestamp"] as? String)?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/)
                    != nil,
                attributes: attributes)
        }
    }

    /// Returns the levels of the documented events, by their names.
    private func documentedEvents() throws -> [String: [String]] {
        let text = try Documents.text("docs/errors.md")
        let chapter = try #require(text.components(separatedBy: "## Events in the log\n").last)
        let rows = chapter.matches(of: /(?m)^\| `([a-z_.]+)` \| ([a-z, ]+) \|/)
        return Dictionary(rows.map { (String($0.1), String($0.2).components(separatedBy: ", ")) }) { first, _ in first }
    }
}
