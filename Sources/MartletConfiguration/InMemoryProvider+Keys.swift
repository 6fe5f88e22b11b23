import Configuration

extension InMemoryProvider {
    /// Creates a provider of these values. Values of secret keys count as secret.
    init(_ values: [ConfigurationKey: String]) {
        self.init(
            values: Dictionary(
                values.map { key, value in
                    (AbsoluteConfigKey(ConfigKey(key.rawValue)), ConfigValue(.string(value), isSecret: key.isSecret))
                }, uniquingKeysWith: { $1 }))
    }
}
