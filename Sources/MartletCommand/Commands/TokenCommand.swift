import ArgumentParser
import CommandSupport
import MartletConfiguration
import Observability
import PushModel
import Store

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Manage the registry of device tokens.",
        subcommands: [Show.self, Register.self, Forget.self, Export.self])

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show the entries of a token for each app.")

        @Argument(help: "The device token.")
        var token: String

        @Option(help: "The output of the token.")
        var output = Job.defaultOutput

        @Flag(help: "Print JSON.")
        var json = false

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let tokens = try await withDatabase(options, for: "token") { _, pool in
                try await DeviceTokenRegistry(pool).show(
                    token: token, output: output, form: Martlet.installed.recipients[output] ?? .text)
            }
            if json { return try printJSON(tokens.map(TokenDescription.init)) }
            guard !tokens.isEmpty else {
                print("there is no record of this token, so workers send to it")
                return
            }
            var table = Table(header: ["APP", "ENVIRONMENT", "STATE", "REGISTERED", "UNREGISTERED", "MARKED", "REASON"])
            for token in tokens {
                table.append([
                    token.key.app, token.key.environment.rawValue, token.unregisteredAt == nil ? "live" : "dead",
                    token.registeredAt?.rfc3339 ?? "-", token.unregisteredAt?.rfc3339 ?? "-",
                    token.markedAt?.rfc3339 ?? "-", token.reason ?? "-",
                ])
            }
            print(table)
        }
    }

    struct Forget: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete the entries of one token, or of all tokens of an app.",
            discussion: """
                A job can be sent to a dead token again after the token was forgotten. Published outcomes and waiting jobs \
                still contain the token.
                """)

        @Argument(help: "The device token.")
        var token: String?

        @Flag(help: "Forget all tokens of the app.")
        var all = false

        @Option(help: "The app's bundle id. If it is omitted, the token is forgotten for every app.")
        var app: String?

        @Option(help: "The environment: production or sandbox. Default: both. Not allowed with --all.")
        var environment: PushEnvironment?

        @Option(help: "The output of the tokens.")
        var output = Job.defaultOutput

        @OptionGroup var options: ConfigurationOptions

        func validate() throws {
            guard (token != nil) != all else { throw ValidationError("pass a token, or --all and --app") }
            if all {
                guard app != nil else { throw ValidationError("--all requires --app") }
                guard environment == nil else { throw ValidationError("--environment and --all cannot be combined") }
            }
        }

        func run() async throws {
            let count = try await withDatabase(options, for: "token") { _, pool in
                let registry = DeviceTokenRegistry(pool)
                if let token { return try await forget(token, registry) }
                return try await forgetAll(of: app ?? "", registry)
            }
            print("forgot \(Phrase.count(count, "token"))")
        }

        private func forget(_ token: String, _ registry: DeviceTokenRegistry) async throws -> Int {
            var count = 0
            for known in try await registry.show(
                token: token, output: output, form: Martlet.installed.recipients[output] ?? .text
            ).map(\.key)
            where (app ?? known.app) == known.app && (environment ?? known.environment) == known.environment {
                if try await registry.forget(known) { count += 1 }
            }
            return count
        }

        private func forgetAll(of app: String, _ registry: DeviceTokenRegistry) async throws -> Int {
            var progress = Progress()
            var count = 0
            while true {
                let some = try await registry.forgetSome(app: app, output: output)
                if some == 0 { return count }
                count += some
                progress.report { _ in "forgot \(Phrase.count(count, "token"))" }
            }
        }
    }
}

/// A device token's record in the registry, as `--json` shows it.
private struct TokenDescription: Encodable {
    let token: String
    let output: String
    let app: String
    let environment: String
    let state: String
    let registered_at: String?
    let unregistered_at: String?
    let marked_at: String?
    let reason: String?

    init(_ row: DeviceToken) {
        token = row.key.token
        output = row.key.output
        app = row.key.app
        environment = row.key.environment.rawValue
        state = row.unregisteredAt == nil ? "live" : "dead"
        registered_at = row.registeredAt?.rfc3339
        unregistered_at = row.unregisteredAt?.rfc3339
        marked_at = row.markedAt?.rfc3339
        reason = row.reason
    }
}
