/// An error in the configuration. Its description names the key at fault. The process exits with code 78.
package struct ConfigurationError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }

    package init(_ key: ConfigurationKey, _ problem: String) {
        description = "configuration key \(key.rawValue) (\(key.environmentVariable)): \(problem)"
    }
}
