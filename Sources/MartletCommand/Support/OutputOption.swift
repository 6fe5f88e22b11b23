import ArgumentParser
import MartletService
import PushModel

/// Which output something is of.
struct OutputOption: ParsableArguments {
    @Option(name: .customLong("output"), help: "Which output's.")
    var name = Job.defaultOutput

    /// - Throws: where there is none of this name.
    func plugin() throws -> any OutputPlugin {
        guard let plugin = Martlet.installed.first(where: { $0.name == name }) else {
            throw ValidationError(
                "--output: there is no \(name), only: \(Martlet.installed.map(\.name).joined(separator: ", "))")
        }
        return plugin
    }

    /// - Throws: where it needs no credentials.
    func credentials() throws -> any OutputCredentials {
        guard let credentials = try plugin().credentials else {
            throw ValidationError("--output: \(name) needs no credentials")
        }
        return credentials
    }
}

/// What the outputs call an account, as commands do.
enum AccountWords {
    private static var credentials: [any OutputCredentials] { Martlet.installed.compactMap(\.credentials) }

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
