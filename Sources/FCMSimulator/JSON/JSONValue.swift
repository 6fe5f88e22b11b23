/// A JSON value with all that the JSON form of protocol buffers cares about: numbers as they are written, members in their
/// order, and those that are repeated.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    package struct Member: Hashable, Sendable {
        let name: String
        let value: JSONValue
    }

    /// As it stands in Google's complaints.
    var shown: String {
        switch self {
        case .null: "null"
        case .bool(let value): String(value)
        case .number(let text): text
        case .string(let text): "\"\(text)\""
        case .array: "[...]"
        case .object: "{...}"
        }
    }

    /// Bytes of its names and values.
    var weight: Int {
        switch self {
        case .null: 0
        case .bool(let value): value ? 4 : 5
        case .number(let text), .string(let text): text.utf8.count
        case .array(let items): items.reduce(0) { $0 + $1.weight }
        case .object(let members): members.reduce(0) { $0 + $1.name.utf8.count + $1.value.weight }
        }
    }

    /// - Parameter names: spellings of one member; of several that are there, the last counts.
    func member(_ names: String...) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { names.contains($0.name) }?.value
    }

    var text: String? { if case .string(let text) = self { text } else { nil } }
    /// A number in its original spelling.
    var number: String? { if case .number(let text) = self { text } else { nil } }
    var members: [Member] { if case .object(let members) = self { members } else { [] } }
}
