import Configuration
import Foundation
import SystemPackage
import Yams

/// Configuration values by key: flags over environment variables over the YAML file over defaults.
///
/// A key nobody knows is an error: a typo must not be swallowed.
public struct ConfigurationSource: Sendable {
    private let reader: ConfigReader

    /// - Parameters:
    ///   - file: path of a YAML file; nil for none.
    ///   - settings: `key=value` from the command line.
    ///   - environment: the process's environment variables.
    public init(file: String?, settings: [String], environment: [String: String]) async throws {
        var providers: [any ConfigProvider] = [
            InMemoryProvider(values: try Self.values(ofSettings: settings)),
            EnvironmentVariablesProvider(
                environmentVariables: try Self.withSecretsFromFiles(environment),
                secretsSpecifier: .dynamic { name, _ in
                    ConfigurationKey.allCases.contains { $0.isSecret && $0.environmentVariable == name }
                }
            ).prefixKeys(with: "martlet"),
        ]
        if let file {
            try Self.checkKeys(ofFile: file)
            do {
                providers.append(try await FileProvider<YAMLSnapshot>(filePath: FilePath(file)))
            } catch {
                throw ConfigurationError("configuration file \(file): \(error)")
            }
        }
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

    /// `host:port`, the host of an IPv6 address in brackets.
    public func hostAndPort(_ key: ConfigurationKey) throws -> (host: String, port: Int) {
        let text = try required(key)
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65_535).contains(port), colon > text.startIndex
        else { throw ConfigurationError(key, "is \(text), but must be host:port") }
        return (text[..<colon].trimmingCharacters(in: CharacterSet(charactersIn: "[]")), port)
    }

    private static func values(ofSettings settings: [String]) throws -> [AbsoluteConfigKey: ConfigValue] {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for setting in settings {
            let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { throw ConfigurationError("--set \(setting): must be key=value") }
            guard let key = ConfigurationKey(rawValue: parts[0]) else { throw unknown(parts[0], in: "--set") }
            values[AbsoluteConfigKey(ConfigKey(key.rawValue))] = ConfigValue(.string(parts[1]), isSecret: key.isSecret)
        }
        return values
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

    private static func checkKeys(ofFile path: String) throws {
        let text: String
        do {
            text = try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw ConfigurationError("can't read the configuration file \(path): \(error.localizedDescription)")
        }
        do {
            guard let root = try Yams.compose(yaml: text) else { return }
            try check(root, at: "", path)
        } catch let error as YamlError {
            throw ConfigurationError("configuration file \(path): \(error)")
        }
    }

    private static func check(_ node: Node, at prefix: String, _ path: String) throws {
        guard let mapping = node.mapping else {
            guard ConfigurationKey(rawValue: prefix) != nil else { throw unknown(prefix, in: path) }
            return
        }
        for (key, value) in mapping {
            try check(value, at: prefix.isEmpty ? key.string ?? "?" : "\(prefix).\(key.string ?? "?")", path)
        }
    }

    private static func unknown(_ name: String, in place: String) -> ConfigurationError {
        let nearest = ConfigurationKey.allCases.map(\.rawValue).min { distance($0, name) < distance($1, name) } ?? ""
        return ConfigurationError("unknown configuration key \(name) in \(place); did you mean \(nearest)?")
    }

    /// Levenshtein distance, for the hint at what was meant.
    private static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (line, character) in left.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for column in right.indices {
                let substitution = diagonal + (right[column] == character ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(substitution, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
