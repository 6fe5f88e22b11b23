/// A JSON value with all details that matter for the JSON form of protocol buffers: the spelling of numbers, the order
/// of members, and repeated members.
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

    /// The value in the form in which Google's error messages show it.
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

    /// The total size of all names and values, in bytes.
    var weight: Int {
        switch self {
        case .null: 0
        case .bool(let value): value ? 4 : 5
        case .number(let text), .string(let text): text.utf8.count
        case .array(let items): items.reduce(0) { $0 + $1.weight }
        case .object(let members): members.reduce(0) { $0 + $1.name.utf8.count + $1.value.weight }
        }
    }

    /// Returns the value of a member, or `nil` if it is missing. If the member is repeated, the last one counts.
    ///
    /// - Parameter names: the alternative spellings of the member's name.
    func member(_ names: String...) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { names.contains($0.name) }?.value
    }

    var text: String? { if case .string(let text) = self { text } else { nil } }
    /// The original spelling of the number, or `nil` if the value is not a number.
    var number: String? { if case .number(let text) = self { text } else { nil } }
    var members: [Member] { if case .object(let members) = self { members } else { [] } }
}
