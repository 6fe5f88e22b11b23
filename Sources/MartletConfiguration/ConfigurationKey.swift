package import PushModel

/// A configuration key of Martlet or of an output. Reading, validation and documentation use this definition.
package struct ConfigurationKey: Sendable, Hashable {
    /// The setting. Its key includes the section, such as `amqp.url`.
    package let setting: OutputSetting
    /// Whether a worker needs a value. As an exception, `keyring.keys` can replace `keyring.file`. A required key has
    /// no default.
    package let isRequired: Bool
    /// Whether the key takes effect on SIGHUP, without a restart.
    package let isReloadable: Bool
    /// A regular expression for a text value with a fixed format, or `nil` for any text. Only the schema of the Helm
    /// chart uses it. The code that reads the key checks the format completely.
    package let pattern: String?

    package init(
        _ name: String, _ kind: OutputSetting.Kind = .text, default defaultValue: String? = nil,
        unit: OutputSetting.Unit? = nil, example: String? = nil, pattern: String? = nil, isRequired: Bool = false,
        isSecret: Bool = false, isAdvanced: Bool = false, isReloadable: Bool = false, _ help: String
    ) {
        setting = OutputSetting(
            name, kind, default: defaultValue, unit: unit, example: example, isSecret: isSecret, isAdvanced: isAdvanced,
            help: help)
        self.pattern = pattern
        self.isRequired = isRequired
        self.isReloadable = isReloadable
    }

    /// Creates the key of an output's setting.
    package init(_ setting: OutputSetting, of output: String) {
        self.setting = setting.named("\(output).\(setting.key)")
        pattern = nil
        isRequired = false
        isReloadable = false
    }

    /// Creates the key of an output's setting with this name, for an error message.
    init(named key: String, of output: some OutputPlugin) {
        self.init(output.settings.first { $0.key == key } ?? OutputSetting(key, help: ""), of: output.name)
    }

    /// The name of the key in the configuration file, such as `amqp.url`.
    package var rawValue: String { setting.key }
    /// The value if nothing sets the key, or `nil` if the key has no default.
    package var defaultValue: String? { setting.defaultValue }
    /// Whether the value may contain a password. Such a value may also come from a file, whose path is then in the
    /// variable ``environmentVariable`` with the suffix `_FILE`.
    package var isSecret: Bool { setting.isSecret }
    /// A short description, for error messages and for comments in the example file.
    package var explanation: String { setting.plainHelp }

    /// Whether the value is the path of a file, as the suffix of the key shows.
    package var isPath: Bool { rawValue.hasSuffix(".file") || rawValue.hasSuffix("_file") }

    /// The name of the environment variable that sets the key.
    package var environmentVariable: String {
        "MARTLET_" + rawValue.uppercased().replacing(".", with: "_")
    }
}

extension ConfigurationKey {
    /// All configuration keys except the outputs' keys. The documentation and the example file have the same order.
    package static let own: [ConfigurationKey] = broker + store + http + worker + outcomes + logs

    /// The keys that take effect on SIGHUP, without a restart.
    package static let reloadable = own.filter(\.isReloadable)
}
