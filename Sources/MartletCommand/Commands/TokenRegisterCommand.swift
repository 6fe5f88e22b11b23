import ArgumentParser
import CommandSupport
import Foundation
import MartletConfiguration
import Observability
import PostgresClient
import PushModel
import Routing
import Store

extension TokenCommand {
    struct Register: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Register device tokens, from the command line or from a file.",
            discussion: """
                A file has lines of CSV or NDJSON with token, app, environment, registered_at and output. The options set \
                values that a line omits. CSV columns are in that order unless the first line names them. Invalid lines are \
                reported on standard error and skipped, and the exit code is 1. Running the command again changes nothing.
                """)

        @Argument(help: "Device tokens.")
        var tokens: [String] = []

        @Option(help: "The file with the tokens; '-' reads standard input.", completion: .file())
        var file: String?

        @Option(help: "The app's bundle id.")
        var app: String?

        @Option(help: "The environment: production or sandbox. Default: the app's.")
        var environment: PushEnvironment?

        @Option(help: "The output of the tokens.")
        var output = Job.defaultOutput

        @Option(help: "The time of registration (RFC 3339 or Unix seconds). Default: now.")
        var registeredAt: String?

        @Flag(help: "Stop at the first invalid line. Earlier lines are registered.")
        var strict = false

        @Option(help: "The line to start at, as reported by an interrupted run.")
        var fromLine = 1

        @OptionGroup var options: ConfigurationOptions

        private static let shownBadLines = 1_000

        func validate() throws {
            guard tokens.isEmpty != (file == nil) else { throw ValidationError("pass tokens, or --file") }
            guard fromLine >= 1 else { throw ValidationError("--from-line: must be at least 1") }
            _ = try registrationTime()
        }

        func run() async throws {
            let chunks = try Chunks(of: file, else: tokens)
            try await withDatabase(options, for: "token") { _, pool in
                try await register(chunks, pool)
            }
        }

        private func register(_ chunks: Chunks, _ pool: PostgresPool) async throws {
            let all = try await AppRepository(pool).list()
            for problem in all.compactMap(\.unreadable) { printError("\(problem)") }
            let apps = all.filter { $0.unreadable == nil }.map { ($0.bundleID, $0.defaultEnvironment) }
            var rules = RegistrationRules(
                apps: Dictionary(apps) { first, _ in first }, recipients: Martlet.installed.recipients,
                outputsOfOneWorld: Set(Martlet.installed.filter(\.hasOneWorld).map(\.name)), now: .now)
            rules.app = app
            rules.environment = environment
            rules.output = output
            rules.registeredAt = try registrationTime()
            let registrations = RegistrationImport(
                DeviceTokenRegistry(pool), rules: rules, firstLine: fromLine, stopsAtBadLine: strict)
            var progress = Progress()
            var shown = 0
            do {
                let count = try await registrations.run(chunks.next) { line, problem in
                    shown += 1
                    if shown <= Self.shownBadLines { printError("line \(line): \(problem)") }
                    if shown == Self.shownBadLines { printError("further invalid lines are counted but not reported") }
                } progress: { count in
                    progress.report { seconds in
                        "processed \(Phrase.count(count.linesDone, "line")), "
                            + "\(Int(Double(count.tokens) / seconds)) tokens per second"
                    }
                }
                print(summary(count))
                if count.badLines > 0 { throw ExitCode.failure }
            } catch let stopped as RegistrationImport.Stopped {
                print(summary(stopped.count))
                if let cause = stopped.cause { printError("martlet: \(cause)") }
                printError("stopped; continue with --from-line \(stopped.count.linesDone + 1)")
                throw ExitCode.failure
            }
        }

        private func summary(_ count: RegistrationImport.Count) -> String {
            "registered \(Phrase.count(count.tokens, "token")): \(Phrase.figure(count.changed)) new or newer, "
                + Phrase.count(count.badLines, "invalid line")
        }

        private func registrationTime() throws -> Timestamp? {
            try registeredAt.map { text in
                do { return try RegistrationRules.time(text) } catch {
                    throw ValidationError("--registered-at: \(error)")
                }
            }
        }
    }
}

/// A reader that returns bytes in chunks, from a file, standard input or the arguments.
private struct Chunks {
    private static let size = 1 << 18

    private let source: FileHandle?
    private let path: String
    private let text: Mutable

    private final class Mutable { var bytes: [UInt8]; init(_ bytes: [UInt8]) { self.bytes = bytes } }

    init(of path: String?, else tokens: [String]) throws {
        self.path = path ?? ""
        text = Mutable(Array(tokens.map { $0 + "\n" }.joined().utf8))
        switch path {
        case nil: source = nil
        case "-": source = .standardInput
        case let path?:
            guard let file = FileHandle(forReadingAtPath: path) else { throw ValidationError("cannot read \(path)") }
            source = file
        }
    }

    func next() throws -> [UInt8] {
        guard let source else {
            defer { text.bytes = [] }
            return text.bytes
        }
        do {
            return Array(try source.read(upToCount: Self.size) ?? Data())
        } catch {
            throw ValidationError("cannot read \(path): \(error.localizedDescription)")
        }
    }
}
