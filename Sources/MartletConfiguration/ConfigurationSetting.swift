/// The current value of a key and its origin, for display.
package struct ConfigurationSetting: Sendable, Hashable, Encodable {
    package enum Origin: String, Sendable, Hashable, Encodable {
        case flag
        case environment
        case file
        case standard = "default"
    }

    package let key: String
    /// The value, or `nil` if the key has no value. A secret value is replaced by the word `set`.
    package let value: String?
    package let origin: Origin

    package init(key: String, value: String?, origin: Origin) {
        self.key = key
        self.value = value
        self.origin = origin
    }
}

extension ConfigurationSetting {
    /// Returns the settings of all keys, in the order of ``ConfigurationKeys/all``.
    package static func all(of source: ConfigurationSource) -> [ConfigurationSetting] {
        source.keys.all.map { key in
            let value = source.string(key).flatMap { $0.isEmpty ? nil : $0 }
            return ConfigurationSetting(
                key: key.rawValue, value: key.isSecret ? value.map { _ in "set" } : value,
                origin: source.origins.origin(of: key))
        }
    }
}

/// The configuration keys and environment variables that are set, by origin.
package struct ConfigurationOrigins: Sendable {
    package var flags: Set<String> = []
    /// The names of the environment variables that are set, including variables whose value came from a file.
    package var variables: Set<String> = []
    package var file: Set<String> = []

    package func origin(of key: ConfigurationKey) -> ConfigurationSetting.Origin {
        if flags.contains(key.rawValue) { return .flag }
        if variables.contains(key.environmentVariable) { return .environment }
        if file.contains(key.rawValue) { return .file }
        return .standard
    }
}
