/// A value that is in force, and where it came from; for people.
package struct ConfigurationSetting: Sendable, Hashable, Encodable {
    package enum Origin: String, Sendable, Hashable, Encodable {
        case flag
        case environment
        case file
        case standard = "default"
    }

    package let key: String
    /// Of what may hold a secret, only that it is set; nil: nothing sets it.
    package let value: String?
    package let origin: Origin

    package init(key: String, value: String?, origin: Origin) {
        self.key = key
        self.value = value
        self.origin = origin
    }
}

extension ConfigurationSetting {
    /// Every key, in the order of the documents.
    package static func all(of source: ConfigurationSource) -> [ConfigurationSetting] {
        source.keys.all.map { key in
            let value = source.string(key).flatMap { $0.isEmpty ? nil : $0 }
            return ConfigurationSetting(
                key: key.rawValue, value: key.isSecret ? value.map { _ in "set" } : value,
                origin: source.origins.origin(of: key))
        }
    }
}

/// Where which keys are set.
struct ConfigurationOrigins: Sendable {
    var flags: Set<String> = []
    /// Names of variables, those that a file is named for among them.
    var variables: Set<String> = []
    var file: Set<String> = []

    func origin(of key: ConfigurationKey) -> ConfigurationSetting.Origin {
        if flags.contains(key.rawValue) { return .flag }
        if variables.contains(key.environmentVariable) { return .environment }
        if file.contains(key.rawValue) { return .file }
        return .standard
    }
}
