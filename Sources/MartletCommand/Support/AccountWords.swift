import ArgumentParser
import MartletService
import PushModel

/// What the outputs call an account, as commands do.
enum AccountWords {
    private static var credentials: [any OutputCredentials] { Martlet.installed.compactMap(\.credentials) }

    /// What an account can't be called: options of the commands that name one, members of the JSON and labels of the
    /// metrics that have one.
    static let taken: Set = [
        "accounts", "advice", "alert", "all", "app", "config", "considered", "covers", "credential", "detail",
        "endpoint", "environment", "environments", "file", "fingerprint", "help", "id", "json", "key", "kind", "label",
        "out", "output", "paused", "payload", "publishers", "rate", "reason", "refusals", "replaces", "result",
        "routes",
        "set",
        "state", "status", "subject", "to", "token", "topic", "topics", "url", "version",
    ]

    static var all: [String] { Set(credentials.map(\.accountName)).sorted() }

    /// Those whose accounts are called so.
    static func outputs(of word: String) -> [String] {
        Martlet.installed.filter { $0.credentials?.accountName == word }.map(\.name)
    }

    /// `--team`, say; one that is to spare can't be given by mistake.
    static func option(_ place: Int) -> NameSpecification {
        .customLong(all.indices.contains(place) ? all[place] : "no-account-\(place)")
    }

    static func help(of place: Int) -> ArgumentHelp {
        guard all.indices.contains(place) else { return .private }
        let helps = credentials.filter { $0.accountName == all[place] }.map(\.accountHelp)
        return ArgumentHelp(
            "\(helps.joined(separator: "; or ")) (\(outputs(of: all[place]).joined(separator: ", "))).",
            valueName: all[place])
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
        let word = word(of: output)
        return "\(outputs(of: word).count > 1 ? "--output \(output) " : "")--\(word)"
    }

    /// What gives it a credential.
    static func remedy(_ account: String, of output: String) -> String {
        "'martlet credential import FILE \(options(of: output)) \(account)', or 'credential create' where nobody gives one out"
    }

    static func word(of output: String) -> String { Martlet.installed.accountNames[output] ?? "account" }
}
