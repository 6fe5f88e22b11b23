/// Conversions of strings to and from their JSON form (RFC 8259, section 7).
package enum JSONText {
    /// Returns the text of a scanned JSON string.
    ///
    /// - Parameter escaped: the characters between the quotes.
    static func text(_ escaped: Slice<UnsafeBufferPointer<UInt8>>, hasEscapes: Bool) -> String {
        hasEscapes ? String(decoding: unescaped(escaped), as: UTF8.self) : String(decoding: escaped, as: UTF8.self)
    }

    /// Returns the characters of a scanned JSON string with all escapes replaced, as UTF-8. An unpaired surrogate
    /// becomes U+FFFD.
    package static func unescaped(_ escaped: some Collection<UInt8>) -> [UInt8] {
        var isUnicode = true
        return unescaped(escaped, &isUnicode)
    }

    /// Returns whether a scanned JSON string is valid Unicode. A string with an unpaired surrogate is not valid: every
    /// unpaired surrogate becomes U+FFFD, so different strings would become equal.
    package static func isUnicode(_ escaped: some Collection<UInt8>) -> Bool {
        var isUnicode = true
        _ = unescaped(escaped, &isUnicode)
        return isUnicode
    }

    private static func unescaped(_ escaped: some Collection<UInt8>, _ isUnicode: inout Bool) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(escaped.count)
        var pendingHighSurrogate: UInt32?
        var index = escaped.startIndex

        func append(_ value: UInt32) {
            let scalar = Unicode.Scalar(value)
            if scalar == nil { isUnicode = false }
            result.append(contentsOf: String(scalar ?? "\u{FFFD}").utf8)
        }
        func flushSurrogate() {
            if let high = pendingHighSurrogate { append(high) }
            pendingHighSurrogate = nil
        }
        func next() -> UInt8? {
            guard index < escaped.endIndex else { return nil }
            defer { escaped.formIndex(after: &index) }
            return escaped[index]
        }

        while let byte = next() {
            guard byte == UInt8(ascii: "\\"), let escape = next() else {
                flushSurrogate()
                result.append(byte)
                continue
            }
            guard escape == UInt8(ascii: "u") else {
                flushSurrogate()
                result.append(shortEscapes[escape] ?? escape)
                continue
            }
            var unit: UInt32 = 0
            for _ in 0..<4 { unit = unit << 4 | UInt32(next()?.hexDigitValue ?? 0) }
            if let high = pendingHighSurrogate, (0xDC00...0xDFFF).contains(unit) {
                append(0x10000 + (high - 0xD800) << 10 + (unit - 0xDC00))
                pendingHighSurrogate = nil
            } else {
                flushSurrogate()
                if (0xD800...0xDBFF).contains(unit) { pendingHighSurrogate = unit } else { append(unit) }
            }
        }
        flushSurrogate()
        return result
    }

    private static let shortEscapes: [UInt8: UInt8] = [
        UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D,
        UInt8(ascii: "t"): 0x09,
    ]

    /// Appends a string as JSON with its quotes. Only the characters that JSON requires to be escaped are escaped.
    package static func append(_ string: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        var string = string
        string.withUTF8 { bytes in
            if bytes.allSatisfy({ escapedSize(of: $0) == 1 }) {
                output.append(contentsOf: bytes)
            } else {
                for byte in bytes { appendEscaped(byte, to: &output) }
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func appendEscaped(_ byte: UInt8, to output: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            output.append(UInt8(ascii: "\\"))
            output.append(byte)
        case 0..<0x20:
            output.append(contentsOf: "\\u00".utf8)
            output.append(hexDigits[Int(byte >> 4)])
            output.append(hexDigits[Int(byte & 0xF)])
        default:
            output.append(byte)
        }
    }

    /// Returns the number of bytes that ``append(_:to:)`` writes for one byte of a string.
    package static func escapedSize(of byte: UInt8) -> Int {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): 2
        case 0..<0x20: 6
        default: 1
        }
    }

    package static let hexDigits = Array("0123456789abcdef".utf8)
}
