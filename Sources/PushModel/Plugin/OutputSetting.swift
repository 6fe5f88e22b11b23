/// A configuration setting of an output.
public struct OutputSetting: Sendable, Hashable {
    /// The kind of a setting's value.
    public enum Kind: Sendable, Hashable {
        case text
        case integer(ClosedRange<Int>)
        case choice([String])
        /// A `host:port`. An IPv6 address is written in brackets.
        case endpoint
    }

    /// The key without the leading `<output>.`, in lower-case letters, underscores and dots.
    public let key: String
    public let kind: Kind
    /// The default value, or `nil` if the setting may be absent.
    public let defaultValue: String?
    /// A one-line explanation for display, without a full stop.
    public let help: String
    /// Whether the value may contain a password. Such a value is never printed, and `--set` rejects it. It can be read
    /// from the file that `<variable>_FILE` names.
    public let isSecret: Bool

    public init(
        _ key: String, _ kind: Kind = .text, default defaultValue: String? = nil, isSecret: Bool = false, help: String
    ) {
        self.key = key
        self.kind = kind
        self.defaultValue = defaultValue
        self.help = help
        self.isSecret = isSecret
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
