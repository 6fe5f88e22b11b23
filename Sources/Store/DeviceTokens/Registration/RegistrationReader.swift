import PushModel

/// A reader of registrations from lines of CSV (RFC 4180, without line breaks inside a field) or NDJSON (one object per
/// line). The first character of the first line determines the format. CSV may begin with a line of column names. If
/// it does not, the columns are token, app, environment, registered_at and output. A line may end after any column.
package struct RegistrationReader {
    package enum Format: Sendable, Hashable {
        case csv
        case ndjson
    }

    private let rules: RegistrationRules
    private var format: Format?
    /// The field of each column, or `nil` before the first line of CSV is read.
    private var columns: [Int]?

    package init(rules: RegistrationRules, format: Format? = nil) {
        self.rules = rules
        self.format = format
    }

    /// Reads one line.
    ///
    /// - Parameter line: the line without its line end.
    /// - Returns: the registration, or `nil` for an empty line or the line of column names.
    package mutating func read(_ line: UnsafeBufferPointer<UInt8>) throws(BadRegistration) -> TokenRegistration? {
        guard let first = line.first(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }) else { return nil }
        if format == nil { format = first == UInt8(ascii: "{") ? .ndjson : .csv }
        if format == .ndjson { return try rules.registration(try Self.fields(ofObject: line)) }
        let cells = try Self.cells(line)
        guard let columns else {
            let names = cells.map { $0.lowercased() }
            guard names.contains("token") else {
                self.columns = Array(RegistrationFields.names.indices)
                return try rules.registration(try Self.fields(cells, RegistrationFields.names.indices))
            }
            self.columns = try Self.places(of: names)
            return nil
        }
        return try rules.registration(try Self.fields(cells, columns))
    }

    // MARK: CSV

    private static func places(of names: [String]) throws(BadRegistration) -> [Int] {
        var places: [Int] = []
        for name in names {
            guard let place = RegistrationFields.names.firstIndex(of: name) else {
                throw BadRegistration(
                    description: "column \(name): is not one of \(RegistrationFields.names.joined(separator: ", "))")
            }
            guard !places.contains(place) else { throw BadRegistration(description: "column \(name): is given twice") }
            places.append(place)
        }
        return places
    }

    private static func fields(
        _ cells: [String], _ columns: some Collection<Int>
    ) throws(BadRegistration) -> RegistrationFields {
        guard cells.count <= columns.count else {
            throw BadRegistration(description: "has \(cells.count) fields, but there are \(columns.count) columns")
        }
        var fields = RegistrationFields()
        for (cell, place) in zip(cells, columns) { fields.set(place, to: cell) }
        return fields
    }

    private static func cells(_ line: UnsafeBufferPointer<UInt8>) throws(BadRegistration) -> [String] {
        var cells: [String] = []
        var rest = line[...]
        while true {
            var cell: [UInt8] = []
            if rest.first == UInt8(ascii: "\"") {
                rest = rest.dropFirst()
                while true {
                    guard let quote = rest.firstIndex(of: UInt8(ascii: "\"")) else {
                        throw BadRegistration(description: "a quoted field does not end")
                    }
                    cell += rest[..<quote]
                    rest = rest[(quote + 1)...]
                    guard rest.first == UInt8(ascii: "\"") else { break }
                    cell.append(UInt8(ascii: "\""))
                    rest = rest.dropFirst()
                }
                guard rest.isEmpty || rest.first == UInt8(ascii: ",") else {
                    throw BadRegistration(description: "text after a quoted field")
                }
            } else {
                let end = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
                cell = Array(rest[..<end])
                rest = rest[end...]
            }
            cells.append(String(decoding: cell, as: UTF8.self))
            if rest.isEmpty { return cells }
            rest = rest.dropFirst()
        }
    }

    // MARK: NDJSON

    private static func fields(ofObject line: UnsafeBufferPointer<UInt8>) throws(BadRegistration) -> RegistrationFields
    {
        var fields = RegistrationFields()
        var problem: String?
        var scanner = JSONScanner(line)
        do throws(JSONSyntaxError) {
            try scanner.object { (key, scanner) throws(JSONSyntaxError) in
                let name = String(decoding: line[key.range], as: UTF8.self)
                guard let place = RegistrationFields.names.firstIndex(of: name) else {
                    problem = problem ?? "\(name): is not a field of a registration"
                    try scanner.value()
                    return
                }
                switch scanner.nextKind() {
                case .string:
                    let token = try scanner.string()
                    let text =
                        token.hasEscapes ? JSONText.unescaped(line[token.range]) : Array(line[token.range])
                    fields.set(place, to: String(decoding: text, as: UTF8.self))
                case .number where name == "registered_at":
                    fields.set(place, to: String(decoding: line[try scanner.value()], as: UTF8.self))
                case .null: try scanner.value()
                default:
                    problem = problem ?? "\(name): must be a string"
                    try scanner.value()
                }
            }
            try scanner.end()
        } catch {
            throw BadRegistration(description: "is not JSON: \(error.problem) at character \(error.offset + 1)")
        }
        if let problem { throw BadRegistration(description: problem) }
        return fields
    }
}
