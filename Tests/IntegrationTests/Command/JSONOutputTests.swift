import AMQPClient
import Contract
import Crypto
import DeliveryPipeline
import Foundation
import PostgresClient
import PushModel
import Store
import PushSimulator
import TestSupport
import TestTraits
import Testing
import WireTestSupport
import WorkerTestSupport

/// The JSON of every command has keys in snake case.
@Suite(.needsServers)
struct JSONOutputTests {
    private static let app = "com.example.shop"

    /// The commands with an option `--json`, each with arguments that make it print something.
    private static func arguments(_ installation: Installation, token: String) throws -> [String: [String]] {
        let key = installation.path("AuthKey_KEY1234567.p8")
        return [
            "app list": [], "app show": [app], "audit": [], "credential list": [],
            "credential check": ["--all"], "credential import": [key, "--team", "TEAM000007"],
            "credential create": ["--vapid", "shop", "--subject", "mailto:push@yourdomain.com"], "dead list": [],
            "doctor": [], "token show": [token], "why": ["--job", "order-1"], "channel list": channel,
            "channel create": ["--storage", "none"] + channel,
        ]
    }

    private static let channel = ["--app", app]
    private static let id = "dHN0LXNyY2gtY2hubA=="

    @Test func usesSnakeCaseForEveryKey() async throws {
        try await Installation.with { installation in
            let token = try await prepare(installation)
            let arguments = try Self.arguments(installation, token: token)
            let commands = try await Self.commands(with: "--json")
            #expect(Set(commands) == Set(arguments.keys), "each command with --json is tested")
            try await ScriptedServer.with(answer: Self.answer) { server in
                let changes: [String: String?] = [
                    "apns.endpoint.channels.production": "127.0.0.1:\(server.port)",
                    "apns.ca_file": try installation.write(
                        server.authorityPEM + "\n" + (try installation.simulator.caCertificatePEM),
                        to: "authorities.pem"),
                ]
                let shown = ["channel", "show", Self.id] + Self.channel
                let others = commands.map { command in
                    command.split(separator: " ").map(String.init) + (arguments[command] ?? []) + ["--json"]
                }
                for words in [shown] + others {
                    let finished = try await installation.martlet(words, changes)
                    expectSnakeCase(finished.output, of: words.joined(separator: " "), finished)
                }
            }
            // The commands that print JSON without an option for it.
            for words in [["topology", "--format", "definitions", "--users"], ["token", "export"]] {
                let finished = try await installation.martlet(words)
                expectSnakeCase(finished.output, of: words[0], finished)
            }
        }
    }

    /// Adds the data that the commands print.
    ///
    /// - Returns: a token that is marked dead.
    private func prepare(_ installation: Installation) async throws -> String {
        #expect(try await installation.martlet(["doctor", "--declare"]).status == 0)
        try await installation.addTokenApp(Self.app)
        try await installation.addCertificateApp("com.example.news")
        let credential = try await installation.credential(of: Self.app)
        try await RefusalRepository(installation.database.pool).write(
            [
                Refusal(
                    credential: credential.id, environment: .sandbox, topic: nil, reason: "InvalidProviderToken",
                    since: .now)
            ], ended: [], worker: "w")
        try installation.write(P256.Signing.PrivateKey().pemRepresentation, to: "AuthKey_KEY1234567.p8")
        var properties = AMQPProperties()
        properties.headers[JobHeader.reason] = "priorty: is not a field of a job"
        try await installation.publishDead([(Array(#"{"id":"order-1","app":"\#(Self.app)"}"#.utf8), properties)])
        let token = Token.random()
        try await installation.database.pool.query(
            """
            INSERT INTO martlet.device_tokens (output, app, environment, token, unregistered_at, marked_at, reason)
            VALUES ('apns', $1, 'production', $2, now(), now(), 'Unregistered')
            """, [.text(Self.app), .text(token)])
        return token
    }

    private static func answer(_ request: ScriptedServer.Request) -> ScriptedServer.Answer? {
        switch request.line {
        case "POST /1/apps/\(app)/channels":
            ScriptedServer.Answer(status: 201, fields: ["apns-channel-id": id])
        case "GET /1/apps/\(app)/all-channels":
            ScriptedServer.Answer(status: 200, body: #"{"channels":["\#(id)"]}"#)
        default: ScriptedServer.Answer(status: 200, body: #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#)
        }
    }

    /// Returns the commands that have this option. The option must not take a value.
    private static func commands(with option: String) async throws -> [String] {
        var (waiting, found) = ([[String]()], [String]())
        while let words = waiting.popLast() {
            let help = try await CommandHelp(of: words)
            waiting += help.subcommands.map { words + [$0] }
            // The help of a group shows the options of its default subcommand.
            if help.subcommands.isEmpty, words.first != "help", help.text.contains(try Regex("\n  \(option) +[^ <]")) {
                found.append(words.joined(separator: " "))
            }
        }
        return found.sorted()
    }

    private func expectSnakeCase(_ text: String, of command: String, _ finished: Subprocess.Finished) {
        guard let value = try? JSONSerialization.jsonObject(with: Data(text.utf8)) else {
            Issue.record("\(command) prints no JSON: \(finished)")
            return
        }
        let keys = Self.keys(of: value)
        #expect(!keys.isEmpty, "\(command) prints no object: \(finished)")
        let wrong = keys.filter { key in key.contains { $0.isUppercase } }
        #expect(wrong.isEmpty, "\(command): \(wrong.sorted())")
    }

    private static func keys(of value: Any) -> Set<String> {
        switch value {
        case let object as [String: Any]:
            object.values.reduce(into: Set(object.keys)) { $0.formUnion(keys(of: $1)) }
        case let array as [Any]: array.reduce(into: []) { $0.formUnion(keys(of: $1)) }
        default: []
        }
    }
}
