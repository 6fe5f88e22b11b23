package import PushModel

/// All configuration keys: Martlet's own keys, and the outputs' keys, which begin with the output's name.
package struct ConfigurationKeys: Sendable {
    package let all: [ConfigurationKey]
    private let byName: [String: ConfigurationKey]
    /// The environment variables that replace removed keys, by the name of the key.
    private static let replacements = [
        "tracing.headers": "OTEL_EXPORTER_OTLP_HEADERS", "tracing.ca_file": "OTEL_EXPORTER_OTLP_CERTIFICATE",
        "tracing.sampler": "OTEL_TRACES_SAMPLER", "tracing.sample": "OTEL_TRACES_SAMPLER_ARG",
        "tracing.service_name": "OTEL_SERVICE_NAME", "tracing.resource": "OTEL_RESOURCE_ATTRIBUTES",
    ]

    package init(outputs: [any OutputPlugin]) {
        all =
            ConfigurationKey.own
            + outputs.flatMap { output in output.settings.map { ConfigurationKey($0, of: output.name) } }
        byName = Dictionary(all.map { ($0.rawValue, $0) }) { first, _ in first }
    }

    /// Rejects environment variables that set a removed key. If they were ignored, the worker would run without the
    /// headers or the certificate that they set.
    ///
    /// - Throws: ``ConfigurationError`` if there is such a variable.
    func rejectRemovedVariables(in environment: [String: String]) throws {
        for (key, replacement) in Self.replacements.sorted(by: { $0.key < $1.key }) {
            let variable = ConfigurationKey(key, "").environmentVariable
            for name in [variable, "\(variable)_FILE"] where environment[name]?.isEmpty == false {
                throw ConfigurationError("environment variable \(name) was removed; set \(replacement)")
            }
        }
    }

    /// Returns whether any key begins with this name and a dot.
    func hasSection(_ name: String) -> Bool { all.contains { $0.rawValue.hasPrefix("\(name).") } }

    /// Returns the key with the given name.
    ///
    /// - Parameter place: the place that contains the name, for the error message.
    /// - Throws: ``ConfigurationError`` if the name is unknown. The message names the most similar key, or the variable
    ///   that replaces a removed key.
    func named(_ name: String, in place: String) throws -> ConfigurationKey {
        if let key = byName[name] { return key }
        if let variable = Self.replacements[name] {
            throw ConfigurationError(
                "configuration key \(name) in \(place) was removed; set the environment variable \(variable)")
        }
        let nearest = all.map(\.rawValue).min { Self.distance($0, name) < Self.distance($1, name) }
        throw ConfigurationError(
            "unknown configuration key \(name) in \(place); did you mean \(nearest ?? "another")?")
    }

    /// Returns the Levenshtein distance between two strings.
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

extension ConfigurationKey {
    init(_ setting: OutputSetting, of output: String) {
        self.init(
            "\(output).\(setting.key)", default: setting.defaultValue, isSecret: setting.isSecret, setting.help)
    }
}
