import Foundations

/// A configuration setting of an output.
///
/// The settings are the only declaration of an output's configuration keys. The parser, `martlet config`, the tables in
/// docs/configuration.md and the schema of the Helm chart are derived from them.
public struct OutputSetting: Sendable, Hashable {
    /// The kind of a setting's value.
    public enum Kind: Sendable, Hashable {
        case text
        case integer(ClosedRange<Int>)
        case choice([String])
        /// A `host:port`. An IPv6 address is written in brackets.
        case endpoint

        /// `true` or `false`.
        public static let boolean = Kind.choice(["true", "false"])
    }

    /// The unit of a number.
    public enum Unit: String, Sendable, Hashable {
        case bytes, days, milliseconds, percent, seconds
        case megabytes = "MB"
    }

    /// The key without the leading `<output>.`, in lower-case letters, underscores and dots.
    public private(set) var key: String
    public let kind: Kind
    /// The unit of the value, or `nil` if the value is not a number or the help names what it counts.
    public let unit: Unit?
    /// The default value, or `nil` if the setting may be absent.
    public let defaultValue: String?
    /// A value for the example file, if the setting has no default.
    public let example: String?
    /// A one-line explanation without a full stop. It may contain code and links in Markdown, which error messages show
    /// as plain text.
    public let help: String
    /// Whether the value may contain a password. Such a value is never printed, and `--set` rejects it. It can be read
    /// from the file that `<variable>_FILE` names.
    public let isSecret: Bool
    /// Whether an operator should change the setting only in special cases. The documentation lists such settings in a
    /// table of their own.
    public let isAdvanced: Bool

    public init(
        _ key: String, _ kind: Kind = .text, default defaultValue: String? = nil, unit: Unit? = nil,
        example: String? = nil, isSecret: Bool = false, isAdvanced: Bool = false, help: String
    ) {
        self.key = key
        self.kind = kind
        self.unit = unit
        self.defaultValue = defaultValue
        self.example = example
        self.help = help
        self.isSecret = isSecret
        self.isAdvanced = isAdvanced
    }

    /// Returns the setting under another key.
    package func named(_ key: String) -> OutputSetting {
        var setting = self
        setting.key = key
        return setting
    }

    /// The help as plain text, followed by the unit.
    package var plainHelp: String {
        let text = help.replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.1 }.replacing("`", with: "")
        return unit.map { "\(text), in \($0.rawValue)" } ?? text
    }

    /// Checks that a value matches the setting's kind.
    ///
    /// - Throws: ``SettingFault``, which contains the value unless the setting is secret.
    package func check(_ value: String) throws(SettingFault) {
        let matches =
            switch kind {
            case .text: true
            case .integer(let range): Int(value).map(range.contains) ?? false
            case .choice(let choices): choices.contains(value)
            case .endpoint: (try? Endpoint(value)) != nil
            }
        if !matches { throw fault(value) }
    }

    /// Returns the error for a value that does not match the setting's kind.
    func fault(_ value: String) -> SettingFault {
        SettingFault(key, isSecret ? "must be \(kind.form)" : "is \(value), but must be \(kind.form)")
    }
}

extension OutputSetting.Kind {
    /// The form of valid values, for error messages.
    fileprivate var form: String {
        switch self {
        case .text: "text"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .choice(let choices): choices.joinedWithOr
        case .endpoint: "host:port, or [address]:port for IPv6"
        }
    }
}

extension [String] {
    /// The elements separated by commas, with `or` before the last.
    package var joinedWithOr: String {
        count < 2 ? joined() : "\(dropLast().joined(separator: ", ")) or \(self[count - 1])"
    }
}

/// An error in the value of a setting.
public struct SettingFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The key of the setting, as in ``OutputSetting/key``.
    public let key: String
    /// The problem with the value. It contains no secret.
    public let problem: String

    public init(_ key: String, _ problem: String) {
        self.key = key
        self.problem = problem
    }

    public var description: String { "\(key): \(problem)" }
}
