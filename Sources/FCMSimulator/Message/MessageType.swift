/// The definition of a protocol buffer message. JSON may spell the name of each field in two ways: `collapse_key` or
/// `collapseKey`.
final class MessageType: Sendable {
    let name: String
    private let fields: [String: (name: String, type: FieldType)]

    /// Creates a message type.
    ///
    /// - Parameter fields: the types of the fields, by their names in the definition.
    init(_ name: String, _ fields: [String: FieldType]) {
        self.name = name
        var spellings: [String: (name: String, type: FieldType)] = [:]
        for (name, type) in fields {
            spellings[name] = (name, type)
            spellings[Self.camelCase(name)] = (name, type)
        }
        self.fields = spellings
    }

    /// Returns the field with a name, or `nil` if there is none.
    ///
    /// - Parameter name: the name in either spelling.
    func field(_ name: String) -> (name: String, type: FieldType)? { fields[name] }

    private static func camelCase(_ name: String) -> String {
        let words = name.split(separator: "_")
        return words.prefix(1).joined() + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}
