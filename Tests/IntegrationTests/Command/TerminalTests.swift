import AMQPClient
import Contract
import DeliveryPipeline
import Foundation
import PostgresClient
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// Text from publishers and from the database. Commands must not print its control characters to a terminal.
@Suite(.needsServers)
struct TerminalTests {
    private static let app = "com.example.shop"
    /// A string that changes the terminal's colour, title and text direction, and contains a line break.
    private static let evil = "x\u{1B}[31m\u{1B}]0;owned\u{7}\u{202E}\u{9B}2J\nforged"
    private static let shown = #"x\u{1B}[31m\u{1B}]0;owned\u{7}\u{202E}\u{9B}2J\nforged"#

    /// Expects that the text has no control or format characters except newlines, and that no line starts with "forged".
    private func expectHarmless(_ text: String, location: SourceLocation = #_sourceLocation) {
        let bad = text.unicodeScalars.filter {
            $0 != "\n" && [.control, .format].contains($0.properties.generalCategory)
        }
        #expect(bad.isEmpty && !text.contains("\nforged"), "\(text.debugDescription)", sourceLocation: location)
    }

    private struct DeadJob: Decodable { let id, app, reason: String }

    @Test func escapesTextOfDeadJob() async throws {
        try await Installation.with { installation in
            let job = try JSONEncoder().encode(["id": Self.evil, "app": Self.evil])
            var properties = AMQPProperties()
            properties.headers[JobHeader.reason] = .string(Self.evil)
            try await installation.publishDead([(Array(job), properties)])
            let listed = try await installation.martlet(["dead", "list"])
            expectHarmless(listed.output)
            #expect(listed.output.ranges(of: Self.shown).count == 3, "id, app, reason: \(listed)")
            let json = try await installation.martlet(["dead", "list", "--json"]).output
            expectHarmless(json)
            let read = try #require(try JSONDecoder().decode([DeadJob].self, from: Data(json.utf8)).first)
            #expect([read.id, read.app, read.reason] == [Self.evil, Self.evil, Self.evil])
            // A pipe gets the original bytes, and a terminal gets escaped text.
            let piped = try await installation.martlet(["dead", "show"])
            #expect(piped.output == String(decoding: job, as: UTF8.self) + "\n")
            expectHarmless(piped.errors)
            let configuration = try installation.configuration()
            let terminal = try await Subprocess.run(
                ["/usr/bin/script", "-qec", "\(Project.command) dead show --config \(configuration)", "/dev/null"])
            expectHarmless(terminal.output.replacing("\r\n", with: "\n"))
            #expect(terminal.output.contains(#"\u{202E}"#), "\(terminal)")
        }
    }

    @Test func printsEventAsOneLineOfJSON() async throws {
        try await Installation.with { installation in
            let names = installation.otherNames
            let publisher = try AMQPPublisher(
                configuration: try installation.brokerConfiguration(), topology: names.topology(delays: []),
                logger: installation.log.logger("publisher"))
            try await publisher.connectOnce()
            let listening = try Subprocess([
                Project.command, "results", "tail", "--limit", "1", "--config",
                try installation.configuration(["amqp.prefix": names.prefix]),
            ])
            let body = Array("{\"kind\":\n\"\u{202E}\u{7F}\u{9B}\u{1B}\"}".utf8)
            try await eventually(listening.errors) {
                try await publisher.publishAndWait([
                    AMQPPublication(id: 1, exchange: names.results, routingKey: "x", body: body)
                ])
                return !listening.isRunning
            }
            #expect(try await listening.finish().output == #"{"kind": "\u202e\u007f\u009b\u001b"}"# + "\n")
            await publisher.close()
            try await installation.delete(names)
        }
    }

    @Test func escapesTextFromDatabase() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            let token = Token.random()
            try await installation.database.pool.query(
                "UPDATE martlet.credentials SET label = $1, not_after = now() + interval '3 days'",
                [.text(Self.evil)])
            try await installation.database.pool.query(
                """
                INSERT INTO martlet.device_tokens (output, app, environment, token, unregistered_at, marked_at, reason)
                VALUES ('apns', $1, 'production', $2, now(), now(), $3)
                """, [.text(Self.app), .text(token), .text(Self.evil)])
            let commands = [
                ["credential", "list"], ["audit"], ["app", "show", Self.app], ["token", "show", token], ["doctor"],
            ]
            for command in commands {
                let finished = try await installation.martlet(command)
                expectHarmless(finished.output + finished.errors)
                #expect(finished.output.contains(Self.shown), "\(command): \(finished)")
            }
        }
    }

    @Test func escapesTextInLogLines() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            try await installation.withWorker { worker in
                let name = #"x\u001b[31m\u202e\nforged"#
                try await installation.publish([
                    JobText(name, app: Self.app, to: [Token.random()], more: #","\#(name)":1"#)
                ])
                try await eventually(worker.errors) { installation.results.rejections.count == 1 }
                try await eventually(worker.errors) { worker.errors.contains(#"x\u{1B}[31m\u{202E}\nforged"#) }
                expectHarmless(worker.errors)
            }
        }
    }
}
