package import PushModel

/// All configuration keys: Martlet's own keys, and the outputs' keys, which begin with the output's name.
package struct ConfigurationKeys: Sendable {
    package let all: [ConfigurationKey]
    private let byName: [String: ConfigurationKey]
    package init(outputs: [any OutputPlugin]) {
        all =
            ConfigurationKey.own
            + outputs.flatMap { output in output.settings.map { ConfigurationKey($0, of: output.name) } }
        byName = Dictionary(all.map { ($0.rawValue, $0) }) { first, _ in first }
    }

    /// Returns whether any key begins with this name and a dot.
    package func hasSection(_ name: String) -> Bool { all.contains { $0.rawValue.hasPrefix("\(name).") } }

    /// Returns the key with the given name.
    ///
    /// - Parameter place: the place that contains the name, for the error message.
    /// - Throws: ``ConfigurationError`` if the name is unknown. The message names the most similar key.
    package func named(_ name: String, in place: String) throws -> ConfigurationKey {
        if let key = byName[name] { return key }
        let nearest = all.map(\.rawValue).min { Self.distance($0, name) < Self.distance($1, name) }
        throw ConfigurationError(
            "unknown configuration key \(name) in \(place); did you mean \(nearest ?? "another")?")
    }

    /// Checks the names of environment variables that begin with `MARTLET_`.
    ///
    /// - Throws: ``ConfigurationError`` if a name is unknown and, with or without a suffix `_FILE`, at most two edits
    ///   away from a key's variable, or if it adds the suffix `_FILE` to the variable of a key that is not a secret.
    func checkVariables(_ names: some Sequence<String>) throws {
        let known = all.map(\.environmentVariable)
        for name in names.sorted() where name.hasPrefix("MARTLET_") {
            let meant = name.hasSuffix("_FILE") ? String(name.dropLast("_FILE".count)) : name
            if known.contains(name) { continue }
            if let key = all.first(where: { $0.environmentVariable == meant }) {
                if key.isSecret { continue }
                throw ConfigurationError("\(name) is not read, because \(key.rawValue) is not a secret: set \(meant)")
            }
            guard let nearest = known.first(where: { Self.distance($0, name) <= 2 || Self.distance($0, meant) <= 2 })
            else { continue }
            throw ConfigurationError("unknown environment variable \(name); did you mean \(nearest)?")
        }
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
