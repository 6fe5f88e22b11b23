/// A key of the configuration that belongs to an output.
public struct OutputSetting: Sendable, Hashable {
    /// What a value may be.
    public enum Kind: Sendable, Hashable {
        case text
        case integer(ClosedRange<Int>)
        case choice([String])
        /// `host:port`, the host of an IPv6 address in brackets.
        case endpoint
    }

    /// Below `<output>.`: small letters, underscores and dots.
    public let key: String
    public let kind: Kind
    /// nil: it need not be set.
    public let defaultValue: String?
    /// One line for people, without a full stop.
    public let help: String
    /// It may hold a password: never in `--set`, never printed, and from a file that `<variable>_FILE` names.
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

/// What is wrong with the value of a setting.
public struct SettingFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// As in ``OutputSetting``.
    public let key: String
    /// Repeats no secret.
    public let problem: String

    public init(_ key: String, _ problem: String) {
        self.key = key
        self.problem = problem
    }

    public var description: String { "\(key): \(problem)" }
}
