import Configuration
import Foundation

/// Configuration values by key: flags over environment variables over the YAML file over defaults.
///
/// A key nobody knows is an error: a typo must not be swallowed.
public struct ConfigurationSource: Sendable {
    private let reader: ConfigReader

    /// - Parameters:
    ///   - file: path of a YAML file; nil for none.
    ///   - settings: `key=value` from the command line; no secrets.
    ///   - environment: the process's environment variables.
    public init(file: String?, settings: [String], environment: [String: String]) async throws {
        try self.init(values: file.map(ConfigurationFile.read), settings: settings, environment: environment)
    }

    /// - Parameter file: the text of a YAML file.
    package init(text file: String, settings: [String], environment: [String: String]) throws {
        try self.init(
            values: ConfigurationFile.values(in: file, of: "martlet.yaml"), settings: settings,
            environment: environment)
    }

    private init(
        values: [ConfigurationKey: String]?, settings: [String], environment: [String: String]
    ) throws {
        var providers: [any ConfigProvider] = [
            InMemoryProvider(values: Self.values(try Self.read(settings))),
            EnvironmentVariablesProvider(
                environmentVariables: try Self.withSecretsFromFiles(environment),
                secretsSpecifier: .dynamic { name, _ in
                    ConfigurationKey.allCases.contains { $0.isSecret && $0.environmentVariable == name }
                }
            ).prefixKeys(with: "martlet"),
        ]
        if let values { providers.append(InMemoryProvider(values: Self.values(values))) }
        reader = ConfigReader(providers: providers)
    }

    /// The value that is set, else the default; nil where there is neither.
    public func string(_ key: ConfigurationKey) -> String? {
        reader.string(forKey: ConfigKey(key.rawValue), isSecret: key.isSecret) ?? key.defaultValue
    }

    public func required(_ key: ConfigurationKey) throws -> String {
        guard let value = string(key), !value.isEmpty else {
            throw ConfigurationError(key, "is not set; it is \(key.explanation)")
        }
        return value
    }

    public func integer(_ key: ConfigurationKey, in range: ClosedRange<Int>) throws -> Int {
        let text = try required(key)
        guard let value = Int(text), range.contains(value) else {
            throw ConfigurationError(
                key, "is \(text), but must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    public func boolean(_ key: ConfigurationKey) throws -> Bool {
        switch try required(key) {
        case "true": return true
        case "false": return false
        case let other: throw ConfigurationError(key, "is \(other), but must be true or false")
        }
    }

    /// `host:port`, the host of an IPv6 address in brackets.
    public func hostAndPort(_ key: ConfigurationKey) throws -> (host: String, port: Int) {
        let text = try required(key)
        guard let parts = text.wholeMatch(of: /(?:\[([^\[\]]+)\]|([^:\[\]]+)):([0-9]+)/), let port = Int(parts.3),
            port <= 65_535, let host = parts.1 ?? parts.2
        else {
            throw ConfigurationError(key, "is \(text), but must be host:port, or [address]:port for IPv6")
        }
        return (String(host), port)
    }

    /// A setting may hold a secret by mistake: what is wrong with one repeats its key only.
    private static func read(_ settings: [String]) throws -> [ConfigurationKey: String] {
        var values: [ConfigurationKey: String] = [:]
        for setting in settings {
            let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else {
                let name = setting.prefix { $0.isLetter || $0 == "." || $0 == "_" }
                throw ConfigurationError("--set \(name)…: must be key=value")
            }
            let key = try ConfigurationKey(named: parts[0], in: "--set")
            guard !key.isSecret else {
                throw ConfigurationError(
                    "--set \(key.rawValue): may hold a secret, and everybody on this machine can read command lines; "
                        + "use the file, \(key.environmentVariable) or \(key.environmentVariable)_FILE")
            }
            values[key] = parts[1]
        }
        return values
    }

    private static func values(_ values: [ConfigurationKey: String]) -> [AbsoluteConfigKey: ConfigValue] {
        Dictionary(
            values.map { key, value in
                (AbsoluteConfigKey(ConfigKey(key.rawValue)), ConfigValue(.string(value), isSecret: key.isSecret))
            }, uniquingKeysWith: { $1 })
    }

    /// Replaces `<variable>_FILE` by `<variable>` with the file's content.
    private static func withSecretsFromFiles(_ environment: [String: String]) throws -> [String: String] {
        var environment = environment
        for key in ConfigurationKey.allCases where key.isSecret {
            let variable = key.environmentVariable + "_FILE"
            guard let path = environment[variable], environment[key.environmentVariable] == nil else { continue }
            do {
                environment[key.environmentVariable] = try String(contentsOfFile: path, encoding: .utf8)
                    .trimmingCharacters(in: .whitespacesAndNewlines)
            } catch {
                throw ConfigurationError("\(variable): can't read \(path): \(error.localizedDescription)")
            }
        }
        return environment
    }
}
