package import Foundations
import Configuration
import Foundation
package import PushModel

/// The configuration values by key. Flags override environment variables, which override the YAML file, which overrides
/// the defaults.
///
/// An unknown key in a flag or in the file is an error, and so is an environment variable whose name resembles that of
/// a key. Other unknown variables are ignored, because Kubernetes sets some for a service with the name `martlet`.
package struct ConfigurationSource: Sendable {
    private let reader: ConfigReader
    package let keys: ConfigurationKeys
    package let origins: ConfigurationOrigins
    package let openTelemetry: OpenTelemetryVariables
    /// The paths of the files from which secrets were read.
    package let secretFiles: [ConfigurationKey: String]
    /// A sentence for error messages that names the configuration file, or explains how to name one.
    package let place: String
    /// The outputs, in the order of the list of plugins.
    package let outputs: [any OutputPlugin]

    /// Reads the configuration from the command line, the environment and a file.
    ///
    /// - Parameters:
    ///   - file: the path of a YAML file, or `nil` if there is none.
    ///   - settings: the `key=value` pairs of the command line, which must not set secrets.
    ///   - environment: the environment variables of the process.
    ///   - outputs: the outputs whose settings are configuration keys as well.
    package init(
        file: String?, settings: [String], environment: [String: String], outputs: [any OutputPlugin]
    ) async throws {
        let keys = ConfigurationKeys(outputs: outputs)
        try self.init(
            file, values: file.map { try ConfigurationFile.read($0, keys) }, settings: settings,
            environment: environment, outputs, keys)
    }

    /// Reads the configuration from a text in place of a file.
    ///
    /// - Parameter file: the text of a YAML file.
    package init(
        text file: String, settings: [String], environment: [String: String], outputs: [any OutputPlugin]
    ) throws {
        let keys = ConfigurationKeys(outputs: outputs)
        try self.init(
            "martlet.yaml", values: ConfigurationFile.values(in: file, of: "martlet.yaml", keys), settings: settings,
            environment: environment, outputs, keys)
    }

    private init(
        _ file: String?, values: [ConfigurationKey: String]?, settings: [String], environment: [String: String],
        _ outputs: [any OutputPlugin], _ keys: ConfigurationKeys
    ) throws {
        try keys.checkVariables(environment.keys)
        let secrets = keys.all.filter(\.isSecret)
        let flags = try Self.read(settings, keys)
        let files = SecretFiles(of: secrets, environment)
        let variables = try files.read(into: environment)
        var providers: [any ConfigProvider] = [
            InMemoryProvider(flags),
            EnvironmentVariablesProvider(
                environmentVariables: variables,
                secretsSpecifier: .dynamic { name, _ in
                    secrets.contains { $0.environmentVariable == name }
                }
            ).prefixKeys(with: "martlet"),
        ]
        if let values { providers.append(InMemoryProvider(values)) }
        reader = ConfigReader(providers: providers)
        self.keys = keys
        place = ConfigurationFile.place(of: file)
        secretFiles = files.paths
        origins = ConfigurationOrigins(
            flags: Set(flags.keys.map(\.rawValue)), variables: Set(variables.keys),
            file: Set((values ?? [:]).keys.map(\.rawValue)))
        openTelemetry = OpenTelemetryVariables(environment)
        self.outputs = outputs
    }

    /// Calls a closure with the settings of an output and returns its result.
    ///
    /// - Throws: ``ConfigurationError`` if the closure throws a `SettingFault`.
    package func withSettings<Value>(
        of output: some OutputPlugin, _ body: (OutputSettings) throws -> Value
    ) throws -> Value {
        do {
            return try body(settings(of: output))
        } catch let fault as SettingFault {
            throw error(ConfigurationKey(named: fault.key, of: output), fault.problem)
        }
    }

    package func settings(of output: some OutputPlugin) -> OutputSettings {
        let name = output.name
        let secrets = Set(output.settings.filter(\.isSecret).map(\.key))
        return OutputSettings(output.settings) { [reader] key in
            reader.string(forKey: ConfigKey("\(name).\(key)"), isSecret: secrets.contains(key))
        }
    }

    /// Returns the value that is set for a key, or otherwise the key's default. Returns `nil` if there is neither.
    package func string(_ key: ConfigurationKey) -> String? {
        reader.string(forKey: ConfigKey(key.rawValue), isSecret: key.isSecret) ?? key.defaultValue
    }

    /// Returns the value of a key, or its default if nothing sets the key.
    ///
    /// - Throws: ``ConfigurationError`` if there is neither, if the value is empty, or if it does not match the kind of
    ///   the key.
    package func required(_ key: ConfigurationKey) throws -> String {
        guard let value = string(key), !value.isEmpty else {
            let place = key.defaultValue == nil ? "; \(place)" : ""
            throw ConfigurationError(key, "is not set; expected: \(key.explanation)\(place)")
        }
        do {
            try key.setting.check(value)
            return value
        } catch {
            throw self.error(key, error.problem)
        }
    }

    /// Returns the error for the value of a key. The error names the file if the value comes from it.
    private func error(_ key: ConfigurationKey, _ problem: String) -> ConfigurationError {
        ConfigurationError(key, problem + (origins.origin(of: key) == .file ? "; \(place)" : ""))
    }

    /// Returns the value of a key whose kind is an integer.
    package func integer(_ key: ConfigurationKey) throws -> Int {
        guard let value = Int(try required(key)) else { throw ConfigurationError(key, "is not a number") }
        return value
    }

    package func boolean(_ key: ConfigurationKey) throws -> Bool { try required(key) == "true" }

    /// Returns the value of a key whose choices are the cases of an enumeration.
    func choice<Case: RawRepresentable<String>>(_ key: ConfigurationKey) throws -> Case {
        guard let value = Case(rawValue: try required(key)) else { throw ConfigurationError(key, "is unknown") }
        return value
    }

    /// Returns the endpoint of a key whose value has the form `host:port`. An IPv6 address must be in brackets.
    package func endpoint(_ key: ConfigurationKey) throws -> Endpoint { try Endpoint(try required(key)) }

    /// Checks all values that are set, including those that this process does not use.
    ///
    /// - Throws: ``ConfigurationError`` if a value does not match its key, or if an output rejects its settings.
    package func check() throws {
        for key in ConfigurationKey.own where string(key)?.isEmpty == false { _ = try required(key) }
        for output in outputs { try check(output) }
    }

    private func check(_ output: some OutputPlugin) throws {
        try withSettings(of: output) { settings in
            try output.check(settings)
            try settings.checkKinds()
        }
    }

    /// Parses the settings of the command line. A setting may contain a secret by mistake, so errors quote only the key
    /// of a setting.
    private static func read(_ settings: [String], _ keys: ConfigurationKeys) throws -> [ConfigurationKey: String] {
        var values: [ConfigurationKey: String] = [:]
        for setting in settings {
            let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else {
                let name = setting.prefix { $0.isLetter || "._".contains($0) }
                throw ConfigurationError("--set \(name)…: must be key=value")
            }
            let key = try keys.named(parts[0], in: "--set")
            guard !key.isSecret else {
                throw ConfigurationError(
                    "--set \(key.rawValue): may contain a secret, and all users of a machine can read command lines; "
                        + "use the file, \(key.environmentVariable) or \(key.environmentVariable)_FILE")
            }
            values[key] = parts[1]
        }
        return values
    }
}
