/// A JSON parser that follows RFC 8259 strictly.
package struct JSONReader {
    private let bytes: [UInt8]
    private var place = 0
    private var depth = 0
    private static let deepest = 100

    private struct Malformed: Error {}

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Parses a JSON text.
    ///
    /// - Returns: the value, or `nil` if the text is not valid JSON.
    package static func read(_ bytes: [UInt8]) -> JSONValue? {
        var reader = JSONReader(bytes)
        guard let value = try? reader.value() else { return nil }
        reader.skipSpace()
        return reader.place == bytes.count ? value : nil
    }

    private mutating func skipSpace() {
        while let byte, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { place += 1 }
    }

    /// Skips whitespace, and returns the next byte without consuming it.
    private mutating func next() throws(Malformed) -> UInt8 {
        skipSpace()
        guard place < bytes.count else { throw Malformed() }
        return bytes[place]
    }

    private mutating func take(_ byte: UInt8) throws(Malformed) {
        guard try next() == byte else { throw Malformed() }
        place += 1
    }

    private mutating func value() throws(Malformed) -> JSONValue {
        switch try next() {
        case UInt8(ascii: "{"): try nested { reader throws(Malformed) in .object(try reader.members()) }
        case UInt8(ascii: "["): try nested { reader throws(Malformed) in .array(try reader.items()) }
        case UInt8(ascii: "\""): .string(try string())
        case UInt8(ascii: "t"): try word("true", .bool(true))
        case UInt8(ascii: "f"): try word("false", .bool(false))
        case UInt8(ascii: "n"): try word("null", .null)
        default: .number(try number())
        }
    }

    private mutating func nested(
        _ read: (inout JSONReader) throws(Malformed) -> JSONValue
    ) throws(Malformed) -> JSONValue {
        guard depth < Self.deepest else { throw Malformed() }
        depth += 1
        place += 1
        let value = try read(&self)
        depth -= 1
        return value
    }

    private mutating func members() throws(Malformed) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        if try next() == UInt8(ascii: "}") {
            place += 1
            return members
        }
        while true {
            guard try next() == UInt8(ascii: "\"") else { throw Malformed() }
            let name = try string()
            try take(UInt8(ascii: ":"))
            members.append(JSONValue.Member(name: name, value: try value()))
            if try ends(with: UInt8(ascii: "}")) { return members }
        }
    }

    private mutating func items() throws(Malformed) -> [JSONValue] {
        var items: [JSONValue] = []
        if try next() == UInt8(ascii: "]") {
            place += 1
            return items
        }
        while true {
            items.append(try value())
            if try ends(with: UInt8(ascii: "]")) { return items }
        }
    }

    private mutating func ends(with bracket: UInt8) throws(Malformed) -> Bool {
        let byte = try next()
        guard byte == bracket || byte == UInt8(ascii: ",") else { throw Malformed() }
        place += 1
        return byte == bracket
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(Malformed) -> JSONValue {
        let length = word.utf8CodeUnitCount
        guard bytes.count - place >= length,
            (0..<length).allSatisfy({ bytes[place + $0] == word.utf8Start[$0] })
        else { throw Malformed() }
        place += length
        return value
    }

    private mutating func number() throws(Malformed) -> String {
        let start = place
        if byte == UInt8(ascii: "-") { place += 1 }
        let startsWithZero = byte == UInt8(ascii: "0"), count = digits()
        guard count > 0, count == 1 || !startsWithZero else { throw Malformed() }
        if byte == UInt8(ascii: ".") {
            place += 1
            guard digits() > 0 else { throw Malformed() }
        }
        if let exponent = byte, exponent | 0x20 == UInt8(ascii: "e") {
            place += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { place += 1 }
            guard digits() > 0 else { throw Malformed() }
        }
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    private var byte: UInt8? { place < bytes.count ? bytes[place] : nil }
    private func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }

    private mutating func digits() -> Int {
        let start = place
        while let byte, isDigit(byte) { place += 1 }
        return place - start
    }

    // MARK: Strings

    private mutating func string() throws(Malformed) -> String {
        place += 1
        let start = place
        while place < bytes.count, bytes[place] != UInt8(ascii: "\""), bytes[place] != UInt8(ascii: "\\") {
            guard bytes[place] >= 0x20 else { throw Malformed() }
            place += 1
        }
        guard let byte else { throw Malformed() }
        if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
        place += 1
        return try text(bytes[start..<(place - 1)])
    }

    private func text(_ bytes: some Sequence<UInt8>) throws(Malformed) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Malformed() }
        return text
    }

    /// Reads the rest of a string from its first backslash, which is at the current position.
    private mutating func escapedString(from start: Int) throws(Malformed) -> String {
        var unescaped = Array(bytes[start..<place])
        while let byte {
            place += 1
            switch byte {
            case UInt8(ascii: "\""): return try text(unescaped)
            case UInt8(ascii: "\\"): unescaped += try escape()
            case 0x00..<0x20: throw Malformed()
            default: unescaped.append(byte)
            }
        }
        throw Malformed()
    }

    private mutating func escape() throws(Malformed) -> [UInt8] {
        guard let byte else { throw Malformed() }
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0c]
        case UInt8(ascii: "n"): return [0x0a]
        case UInt8(ascii: "r"): return [0x0d]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            var units = [try unit()]
            if UTF16.isLeadSurrogate(units[0]) {
                guard bytes[place...].starts(with: Array("\\u".utf8)) else { throw Malformed() }
                place += 2
                units.append(try unit())
            }
            guard let text = String(validating: units, as: UTF16.self) else { throw Malformed() }
            return Array(text.utf8)
        default: throw Malformed()
        }
    }

    private mutating func unit() throws(Malformed) -> UInt16 {
        guard bytes.count - place >= 4 else { throw Malformed() }
        let digits = bytes[place..<(place + 4)]
        place += 4
        guard digits.allSatisfy({ isDigit($0) || 0x61...0x66 ~= $0 | 0x20 }),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw Malformed() }
        return unit
    }
}
