public import PushModel

/// Every configuration key there is: the host's own, and those of the outputs, each below its output's name.
public struct ConfigurationKeys: Sendable {
    public let all: [ConfigurationKey]
    private let byName: [String: ConfigurationKey]

    public init(outputs: [any OutputPlugin]) {
        all =
            ConfigurationKey.own
            + outputs.flatMap { output in output.settings.map { ConfigurationKey($0, of: output.name) } }
        byName = Dictionary(all.map { ($0.rawValue, $0) }) { first, _ in first }
    }

    /// The key of this name; a name nobody knows is an error that says which key may have been meant.
    func named(_ name: String, in place: String) throws -> ConfigurationKey {
        if let key = byName[name] { return key }
        let nearest = all.map(\.rawValue).min { Self.distance($0, name) < Self.distance($1, name) }
        throw ConfigurationError(
            "unknown configuration key \(name) in \(place); did you mean \(nearest ?? "another")?")
    }

    /// What variables of a standard say. An empty one counts as unset, as OpenTelemetry has it.
    func standardVariables(in environment: [String: String]) -> [ConfigurationKey: (variable: String, value: String)] {
        var found: [ConfigurationKey: (variable: String, value: String)] = [:]
        for key in all {
            guard let variable = key.standardVariables.first(where: { environment[$0]?.isEmpty == false }) else {
                continue
            }
            found[key] = environment[variable].map { (variable, $0) }
        }
        return found
    }

    /// Levenshtein distance.
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
