import ArgumentParser
import MartletService
import PushModel

/// What the outputs call an account, as commands do.
enum AccountWords {
    private static var credentials: [any OutputCredentials] { Martlet.installed.compactMap(\.credentials) }

    /// Those that have accounts.
    static var outputs: [String] { Martlet.installed.filter { $0.credentials != nil }.map(\.name) }

    /// What an account can't be called: options of the commands that name one, members of the JSON and labels of the
    /// metrics that have one.
    static let taken: Set = [
        "accounts", "advice", "alert", "all", "app", "config", "considered", "covers", "credential", "detail",
        "endpoint", "environment", "environments", "file", "fingerprint", "help", "id", "json", "key", "kind", "label",
        "output", "paused", "payload", "publishers", "reason", "refusals", "replaces", "result", "routes", "set",
        "state", "status", "to", "token", "topic", "topics", "version",
    ]

    /// `--team`, say.
    static var option: NameSpecification {
        let words = Set(credentials.map(\.accountName)).sorted()
        return NameSpecification((words.isEmpty ? ["account"] : words).map { .customLong($0) })
    }

    static func help(_ rest: String) -> ArgumentHelp {
        "\(credentials.map(\.accountHelp).joined(separator: "; or ")); \(rest)"
    }

    /// Of a column.
    static var header: String {
        credentials.isEmpty ? "ACCOUNT" : credentials.map { $0.accountName.uppercased() }.joined(separator: "/")
    }

    /// More than one output has credentials, so it is to be said whose one is.
    static var areMany: Bool { credentials.count > 1 }

    /// A column that only says something where there are several.
    static func column(_ text: String) -> [String] { areMany ? [text] : [] }

    /// How an account of the output is given: `--team`, and whose it is where that is not plain.
    static func options(of output: String) -> String {
        "\(areMany ? "--output \(output) " : "")--\(word(of: output))"
    }

    static func word(of output: String) -> String { Martlet.installed.accountNames[output] ?? "account" }
}
