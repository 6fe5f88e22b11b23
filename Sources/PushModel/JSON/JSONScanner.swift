/// The position and cause of a JSON syntax error.
package struct JSONSyntaxError: Error, Equatable {
    /// The offset from the start of the text, in bytes.
    package let offset: Int
    package let problem: String
}

/// A scanner that reads JSON text (RFC 8259) in one pass and builds no tree.
///
/// The scanner returns byte ranges, so that a payload can be sent unchanged. It checks the complete grammar, but not
/// the encoding: the caller must check beforehand that the bytes are UTF-8. A read past the end yields a zero byte.
/// That byte is invalid everywhere in JSON, so reads need no bounds check of their own.
package struct JSONScanner {
    package enum ValueKind: String {
        case object, array, string, number, boolean, null, invalid
    }

    /// A scanned JSON string. Its range excludes the quotes, and its characters are still escaped.
    package struct StringToken {
        package let range: Range<Int>
        package let hasEscapes: Bool
    }

    /// The maximum nesting depth of objects and arrays.
    package static let maximumDepth = 64

    private let bytes: UnsafeBufferPointer<UInt8>
    package private(set) var position: Int
    private var depth = 0

    package init(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    private func byte(at index: Int) -> UInt8 {
        index < bytes.count ? bytes[index] : 0
    }

    package func failure(_ problem: String) -> JSONSyntaxError {
        JSONSyntaxError(offset: position, problem: position < bytes.count ? problem : "unexpected end")
    }

    package mutating func skipWhitespace() {
        while true {
            switch byte(at: position) {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): position += 1
            default: return
            }
        }
    }

    /// Returns the kind of the next value. The first byte of a value determines its kind.
    package mutating func nextKind() -> ValueKind {
        skipWhitespace()
        switch byte(at: position) {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
        case UInt8(ascii: "n"): return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        default: return .invalid
        }
    }

    /// Checks that only white space follows the outermost value.
    package mutating func end() throws(JSONSyntaxError) {
        skipWhitespace()
        if position < bytes.count { throw failure("text after the end of the value") }
    }

    /// Reads an object. Calls `body` with the key of each member and a scanner at the member's value, which `body` must
    /// consume.
    package mutating func object(
        _ body: (StringToken, inout JSONScanner) throws(JSONSyntaxError) -> Void
    ) throws(JSONSyntaxError) {
        try open(UInt8(ascii: "{"), named: "an object")
        if close(UInt8(ascii: "}")) { return }
        while true {
            skipWhitespace()
            let key = try string()
            skipWhitespace()
            guard byte(at: position) == UInt8(ascii: ":") else { throw failure("expected ':'") }
            position += 1
            skipWhitespace()
            try body(key, &self)
            if try !separator(before: UInt8(ascii: "}")) { return }
        }
    }

    /// Reads an array. Calls `body` with a scanner at each element, which `body` must consume.
    package mutating func array(
        _ body: (inout JSONScanner) throws(JSONSyntaxError) -> Void
    ) throws(JSONSyntaxError) {
        try open(UInt8(ascii: "["), named: "an array")
        if close(UInt8(ascii: "]")) { return }
        while true {
            skipWhitespace()
            try body(&self)
            if try !separator(before: UInt8(ascii: "]")) { return }
        }
    }

    package mutating func string() throws(JSONSyntaxError) -> StringToken {
        guard byte(at: position) == UInt8(ascii: "\"") else { throw failure("expected a string") }
        position += 1
        let start = position
        var hasEscapes = false
        while true {
            let next = byte(at: position)
            if next == UInt8(ascii: "\"") {
                defer { position += 1 }
                return StringToken(range: start..<position, hasEscapes: hasEscapes)
            }
            if next == UInt8(ascii: "\\") {
                hasEscapes = true
                try skipEscape()
            } else if next < 0x20 {
                throw failure("control character in a string")
            } else {
                position += 1
            }
        }
    }

    /// Consumes a value of any kind and returns its range, without the white space around it.
    @discardableResult
    package mutating func value() throws(JSONSyntaxError) -> Range<Int> {
        let kind = nextKind()
        let start = position
        switch kind {
        case .object: try object { (_, scanner) throws(JSONSyntaxError) in try scanner.value() }
        case .array: try array { (scanner) throws(JSONSyntaxError) in try scanner.value() }
        case .string: _ = try string()
        case .number: try skipNumber()
        case .boolean: try skipLiteral(byte(at: position) == UInt8(ascii: "t") ? "true" : "false")
        case .null: try skipLiteral("null")
        case .invalid: throw failure("expected a value")
        }
        return start..<position
    }

    private mutating func open(_ bracket: UInt8, named name: String) throws(JSONSyntaxError) {
        guard byte(at: position) == bracket else { throw failure("expected \(name)") }
        guard depth < Self.maximumDepth else { throw failure("nested deeper than \(Self.maximumDepth) levels") }
        position += 1
        depth += 1
    }

    private mutating func close(_ bracket: UInt8) -> Bool {
        skipWhitespace()
        guard byte(at: position) == bracket else { return false }
        position += 1
        depth -= 1
        return true
    }

    /// Consumes the comma or the closing bracket after a member or an element. Returns `true` for a comma.
    private mutating func separator(before bracket: UInt8) throws(JSONSyntaxError) -> Bool {
        if close(bracket) { return false }
        guard byte(at: position) == UInt8(ascii: ",") else { throw failure("expected ',' or the closing bracket") }
        position += 1
        return true
    }

    private mutating func skipEscape() throws(JSONSyntaxError) {
        switch byte(at: position + 1) {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
        case UInt8(ascii: "u"):
            for offset in 2..<6 where byte(at: position + offset).hexDigitValue == nil {
                throw failure("expected four hex digits after \\u")
            }
            position += 6
        default:
            throw failure("unknown escape in a string")
        }
    }

    private mutating func skipNumber() throws(JSONSyntaxError) {
        if byte(at: position) == UInt8(ascii: "-") { position += 1 }
        if byte(at: position) == UInt8(ascii: "0") {
            position += 1
        } else {
            try skipDigits()
        }
        if byte(at: position) == UInt8(ascii: ".") {
            position += 1
            try skipDigits()
        }
        if byte(at: position) | 0x20 == UInt8(ascii: "e") {
            position += 1
            if byte(at: position) == UInt8(ascii: "+") || byte(at: position) == UInt8(ascii: "-") { position += 1 }
            try skipDigits()
        }
    }

    private mutating func skipDigits() throws(JSONSyntaxError) {
        let start = position
        while case UInt8(ascii: "0")...UInt8(ascii: "9") = byte(at: position) { position += 1 }
        if position == start { throw failure("expected a digit") }
    }

    private mutating func skipLiteral(_ literal: StaticString) throws(JSONSyntaxError) {
        for offset in 0..<literal.utf8CodeUnitCount where byte(at: position + offset) != literal.utf8Start[offset] {
            throw failure("expected a value")
        }
        position += literal.utf8CodeUnitCount
    }
}

extension UInt8 {
    /// The value of an ASCII hex digit of either case, from 0 to 15, or `nil` for other characters.
    package var hexDigitValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
