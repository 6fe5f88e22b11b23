import ArgumentParser
import MartletConfiguration
import PushModel

/// The outputs' terms for an account, such as `team` or `project`, as commands use them.
enum AccountTerms {
    private static var credentials: [any OutputCredentials] { Martlet.installed.compactMap(\.credentials) }

    /// The words that an output must not use as its term for an account. They are names of options, of members of JSON
    /// objects, or of metric labels that occur together with the term.
    static let taken: Set = [
        "accounts", "advice", "alert", "all", "app", "config", "considered", "covers", "credential", "detail",
        "endpoint", "environment", "environments", "file", "fingerprint", "help", "id", "json", "key", "kind", "label",
        "out", "output", "paused", "payload", "publishers", "rate", "reason", "refusals", "replaces", "result",
        "routes",
        "set",
        "state", "status", "subject", "to", "token", "topic", "topics", "url", "version",
    ]

    static var all: [String] { Set(credentials.map(\.accountName)).sorted() }

    /// Returns the names of the outputs that use this term for their accounts.
    static func outputs(of word: String) -> [String] {
        Martlet.installed.filter { $0.credentials?.accountName == word }.map(\.name)
    }

    /// Returns the name of an account option, for example `--team`. An unused option gets a name that is not
    /// typed by mistake.
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

    /// The header of the table column for accounts, for example `TEAM/PROJECT`.
    static var header: String {
        credentials.isEmpty ? "ACCOUNT" : credentials.map { $0.accountName.uppercased() }.joined(separator: "/")
    }

    /// Whether several outputs have credentials. Tables then have a column for the output.
    static var areMany: Bool { credentials.count > 1 }

    /// Returns a table column with the text if several outputs have credentials, and no column otherwise.
    static func column(_ text: String) -> [String] { areMany ? [text] : [] }

    /// Returns the options that select an account of the output, for example `--team`. Includes `--output` if several
    /// outputs use the same word.
    static func options(of output: String) -> String {
        let word = word(of: output)
        return "\(outputs(of: word).count > 1 ? "--output \(output) " : "")--\(word)"
    }

    /// Returns the commands that add a credential to an account.
    static func remedy(_ account: String, of output: String) -> String {
        "'martlet credential import FILE \(options(of: output)) \(account)', or 'credential create'"
    }

    static func word(of output: String) -> String { Martlet.installed.accountNames[output] ?? "account" }
}
