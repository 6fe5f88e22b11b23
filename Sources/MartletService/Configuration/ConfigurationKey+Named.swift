extension ConfigurationKey {
    /// The key of this name; a name nobody knows is an error that says which key may have been meant.
    init(named name: String, in place: String) throws {
        guard let key = ConfigurationKey(rawValue: name) else {
            let nearest = ConfigurationKey.allCases.map(\.rawValue)
                .min { Self.distance($0, name) < Self.distance($1, name) }
            throw ConfigurationError(
                "unknown configuration key \(name) in \(place); did you mean \(nearest ?? "another")?")
        }
        self = key
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
