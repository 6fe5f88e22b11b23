/// A checker of JSON against a protocol buffer definition. It reports problems with the wording of Google's error
/// messages.
struct TypeChecker {
    /// The current location in the value. It is converted to text only if an error is reported.
    private var path: [Step] = []

    private enum Step {
        case field(String)
        case item(Int)
        /// The value of a member of a map, by the member's position.
        case value(Int)
    }

    /// Checks a value.
    ///
    /// - Throws: ``MessageFault`` for the first problem that is found.
    static func check(_ value: JSONValue, is type: MessageType) throws(MessageFault) {
        var checker = TypeChecker()
        try checker.check(value, is: type)
    }

    private mutating func check(_ value: JSONValue, is type: MessageType) throws(MessageFault) {
        guard case .object(let members) = value else { throw mismatch(value, .message(type)) }
        for member in members {
            guard let (name, fieldType) = type.field(member.name) else { throw unknown(member.name) }
            path.append(.field(name))
            try check(member.value, is: fieldType)
            path.removeLast()
        }
    }

    private mutating func check(_ value: JSONValue, is type: FieldType) throws(MessageFault) {
        // `null` means "not set" for fields of every type.
        if case .null = value { return }
        switch type {
        case .message(let type): try check(value, is: type)
        case .list(let type): try checkList(value, of: type)
        case .strings: try checkStrings(value)
        default: guard Self.fits(value, type) else { throw mismatch(value, type) }
        }
    }

    private static func fits(_ value: JSONValue, _ type: FieldType) -> Bool {
        switch (type, value) {
        case (.string, .string), (.bool, .bool), (.object, .object), (.number, .number): true
        case (.number, .string(let text)):
            ["NaN", "Infinity", "-Infinity"].contains(text) || JSONReader.read(Array(text.utf8))?.number != nil
        case (.integer, .number(let text)): wholeNumber(text) != nil
        case (.integer, .string(let text)): JSONReader.read(Array(text.utf8))?.number.flatMap(wholeNumber) != nil
        case (.duration, .string(let text)): Lifetime(text) != nil
        case (.timestamp, .string(let text)): text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.*/) != nil
        case (.choice(_, let words), .string(let word)): words.contains(word) || words.contains(word.uppercased())
        case (.choice(_, let words), .number(let text)):
            wholeNumber(text).map { words.indices.contains(Int($0)) } ?? false
        default: false
        }
    }

    /// Returns the value of a 32-bit integer in any JSON form (`1`, `1.0`, `1e0`), or `nil` if the text is another
    /// number.
    private static func wholeNumber(_ text: String) -> Int32? { Double(text).flatMap { Int32(exactly: $0) } }

    private mutating func checkList(_ value: JSONValue, of type: FieldType) throws(MessageFault) {
        guard case .array(let items) = value else { throw mismatch(value, .list(type)) }
        for (index, item) in items.enumerated() {
            path.append(.item(index))
            try check(item, is: type)
            path.removeLast()
        }
    }

    private mutating func checkStrings(_ value: JSONValue) throws(MessageFault) {
        guard case .object(let members) = value else { throw mismatch(value, .strings) }
        for (index, member) in members.enumerated() where member.value.text == nil {
            path.append(.value(index))
            throw mismatch(member.value, .string)
        }
    }

    // MARK: Errors

    private var place: String {
        path.reduce(into: "") { text, step in
            switch step {
            case .field(let name): text += text.isEmpty ? name : ".\(name)"
            case .item(let index): text += "[\(index)]"
            case .value(let index): text += "[\(index)].value"
            }
        }
    }

    private func unknown(_ name: String) -> MessageFault {
        let place = place, at = place.isEmpty ? "" : " at '\(place)'"
        return MessageFault(
            field: place,
            description: "Invalid JSON payload received. Unknown name \"\(name)\"\(at): Cannot find field.")
    }

    private func mismatch(_ value: JSONValue, _ type: FieldType) -> MessageFault {
        let place = place
        var problem = "Invalid value at '\(place)' (\(type.shown)), \(value.shown)"
        if case .duration = type {
            problem =
                "Invalid value at '\(place)' (\(type.shown)), Field '\(place.split(separator: ".").last ?? "")', "
                + "Illegal duration format; duration must end with 's'"
        }
        return MessageFault(field: place, description: problem)
    }
}
