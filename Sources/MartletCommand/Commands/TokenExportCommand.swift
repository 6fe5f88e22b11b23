import ArgumentParser
import CommandSupport
import Foundation
import MartletConfiguration
import PushModel
import Store

extension TokenCommand {
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Export dead tokens as NDJSON or CSV, oldest mark first.",
            discussion: """
                With --cursor, each export continues where the last one ended, without gaps or repetitions. Otherwise, the \
                time to continue from is printed on standard error.
                """)

        @Option(help: "Only tokens marked at or after this time (RFC 3339 or Unix seconds).")
        var since: String?

        @Option(
            help: "The file that stores where the next export continues. The first export creates it.",
            completion: .file())
        var cursor: String?

        @Option(help: "Only tokens of this app.")
        var app: String?

        @Option(help: "Only tokens of this environment: production or sandbox.")
        var environment: PushEnvironment?

        @Flag(help: "Write CSV with a header line instead of NDJSON.")
        var csv = false

        @OptionGroup var options: ConfigurationOptions

        func validate() throws {
            if since != nil, cursor != nil { throw ValidationError("pass --since or --cursor, not both") }
            _ = try sinceTime()
        }

        func run() async throws {
            let start = try sinceTime() ?? cursorTime() ?? Timestamp(milliseconds: 0)
            if csv { try printBytes(Array(DeadTokenText.csvHeader.utf8)) }
            let next = try await withDatabase(options, for: "token") { _, pool in
                try await DeviceTokenRegistry(pool).deadTokens(since: start, app: app, environment: environment) {
                    page in
                    var text: [UInt8] = []
                    for token in page {
                        if csv {
                            DeadTokenText.appendCSV(token, to: &text)
                        } else {
                            DeadTokenText.appendJSON(token, to: &text)
                        }
                    }
                    try printBytes(text)
                }
            }
            if let cursor {
                try Data((next.rfc3339 + "\n").utf8).write(to: URL(filePath: cursor), options: .atomic)
            } else {
                printError("continue with --since \(next.rfc3339)")
            }
        }

        private func sinceTime() throws -> Timestamp? {
            try since.map { text in
                do { return try RegistrationRules.time(text) } catch { throw ValidationError("--since: \(error)") }
            }
        }

        private func cursorTime() throws -> Timestamp? {
            guard let cursor, FileManager.default.fileExists(atPath: cursor) else { return nil }
            let text = String(decoding: try readInput(cursor), as: UTF8.self)
            guard let time = Timestamp(rfc3339: text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
                throw ValidationError("--cursor \(cursor): does not contain the time of an export")
            }
            return time
        }
    }
}
