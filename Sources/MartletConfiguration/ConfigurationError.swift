/// An error in the configuration. If a command or the start of a worker throws it, the process exits with code 78.
/// During a reload, the worker logs the error and keeps the old configuration.
package struct ConfigurationError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }

    package init(_ key: ConfigurationKey, _ problem: String) {
        description = "configuration key \(key.rawValue) (\(key.environmentVariable)): \(problem)"
    }
}
