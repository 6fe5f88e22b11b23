import ArgumentParser
import MartletService
import PushModel

/// Which output something is of.
struct OutputOption: ParsableArguments {
    @Option(name: .customLong("output"), help: "Which output's. (default: \(Job.defaultOutput))")
    var given: String?

    var name: String { given ?? Job.defaultOutput }

    /// - Throws: where there is none of this name.
    func plugin() throws -> any OutputPlugin {
        guard let plugin = Martlet.installed.first(where: { $0.name == name }) else {
            throw ValidationError(
                "--output: there is no \(name), only: \(Martlet.installed.map(\.name).joined(separator: ", "))")
        }
        return plugin
    }

    /// For what is about an account or a credential.
    ///
    /// - Throws: where it needs no credentials; where several outputs do, and nobody says which is meant.
    func credentials() throws -> any OutputCredentials {
        if given == nil, AccountWords.areMany {
            throw ValidationError("--output: say whose it is: \(AccountWords.outputs.joined(separator: ", "))")
        }
        guard let credentials = try plugin().credentials else {
            throw ValidationError("--output: \(name) needs no credentials")
        }
        return credentials
    }
}

/// What the outputs call an account, as commands do.
enum AccountWords {
    private static var credentials: [any OutputCredentials] { Martlet.installed.compactMap(\.credentials) }

    /// Those that have accounts.
    static var outputs: [String] { Martlet.installed.filter { $0.credentials != nil }.map(\.name) }

    /// What an account can't be called: options of the commands that name one, members of the JSON and labels of the metrics
    /// that have one.
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

/// Something for `--json` that has an account, under its output's word for it.
struct WithAccount<Base: Encodable & Sendable>: Encodable, Sendable {
    let base: Base
    let output: String
    /// Empty: it has none.
    let account: String

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        try base.encode(to: encoder)
        if account.isEmpty { return }
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(account, forKey: Key(stringValue: AccountWords.word(of: output)))
    }
}
