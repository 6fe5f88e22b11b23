/// A reader that reads one JSON value as the type that a field requires. If the value has another type, the reader
/// skips it and returns `nil`, and ``problem`` names the required type.
struct FieldReader {
    var scanner: JSONScanner
    let bytes: UnsafeBufferPointer<UInt8>
    /// The fault of the value, or `nil` if the value is valid. The text continues a sentence that starts with the
    /// field's name.
    var problem: String?

    init(scanner: JSONScanner, bytes: UnsafeBufferPointer<UInt8>) {
        self.scanner = scanner
        self.bytes = bytes
    }

    /// Reads a string and returns its characters, still escaped.
    ///
    /// - Parameter maximum: the maximum length in bytes, including escapes. A longer string sets ``problem``.
    mutating func string(maximum: Int = .max) throws(JSONSyntaxError) -> JSONScanner.StringToken? {
        guard try expect(.string, "must be a string") else { return nil }
        let token = try scanner.string()
        if token.hasEscapes, !JSONText.isUnicode(bytes[token.range]) { problem = Self.unpairedSurrogate }
        if token.range.count > maximum { problem = "is longer than \(maximum) bytes" }
        return token
    }

    private static let unpairedSurrogate = "has an unpaired surrogate, which is not valid Unicode"

    mutating func text() throws(JSONSyntaxError) -> String? {
        guard let token = try string() else { return nil }
        let text = JSONText.text(bytes[token.range], hasEscapes: token.hasEscapes)
        if text.isEmpty { problem = "must not be empty" }
        return text
    }

    mutating func text(
        maximum: Int, unit: String, _ length: (String) -> Int
    ) throws(JSONSyntaxError) -> String? {
        guard let text = try text() else { return nil }
        if length(text) > maximum { problem = "is longer than \(maximum) \(unit)" }
        return text
    }

    mutating func oneOf<Choice: RawRepresentable<String> & CaseIterable>(
        _: Choice.Type
    ) throws(JSONSyntaxError) -> Choice? {
        guard let text = try text() else { return nil }
        let choice = Choice(rawValue: text)
        if choice == nil {
            problem = "must be one of: " + Choice.allCases.map(\.rawValue).joined(separator: ", ")
        }
        return choice
    }

    /// Reads a UUID and returns it in lower case. A string in another form sets ``problem``.
    mutating func uuid() throws(JSONSyntaxError) -> String? {
        let dashes = [8, 13, 18, 23]
        guard let text = try text() else { return nil }
        let isOne =
            text.utf8.count == 36
            && text.utf8.enumerated().allSatisfy { index, byte in
                dashes.contains(index) ? byte == UInt8(ascii: "-") : Character(UnicodeScalar(byte)).isHexDigit
            }
        if !isOne { problem = "must be a UUID" }
        return text.lowercased()
    }

    mutating func boolean() throws(JSONSyntaxError) -> Bool? {
        guard try expect(.boolean, "must be true or false") else { return nil }
        return bytes[try scanner.value().lowerBound] == UInt8(ascii: "t")
    }

    mutating func integer() throws(JSONSyntaxError) -> Int64? {
        guard try expect(.number, "must be a whole number") else { return nil }
        let range = try scanner.value()
        let number = Int64(String(decoding: bytes[range], as: UTF8.self))
        if number == nil { problem = "must be a whole number" }
        return number
    }

    /// Reads a time, either as a number of seconds since 1970 or as RFC 3339 text.
    mutating func timestamp() throws(JSONSyntaxError) -> Timestamp? {
        let expected = "must be unix seconds or an RFC 3339 date-time"
        if scanner.nextKind() == .number {
            guard let seconds = try integer() else { return nil }
            // A number that stands for a time after the year 9999 is probably in milliseconds by mistake.
            guard (0...Timestamp.representable.upperBound.seconds).contains(seconds) else {
                problem = "\(expected); \(seconds) is out of range (is it in milliseconds?)"
                return nil
            }
            return Timestamp(seconds: seconds)
        }
        guard try expect(.string, expected) else { return nil }
        let moment = try text().flatMap(Timestamp.init(rfc3339:))
        if moment == nil { problem = expected }
        return moment
    }

    mutating func object() throws(JSONSyntaxError) -> Range<Int>? {
        guard try expect(.object, "must be an object") else { return nil }
        return try scanner.value()
    }

    private mutating func expect(
        _ kind: JSONScanner.ValueKind, _ expectation: String
    ) throws(JSONSyntaxError) -> Bool {
        if scanner.nextKind() == kind { return true }
        try scanner.value()
        problem = expectation
        return false
    }
}
