/// The id of a trace, which is never zero.
package struct TraceID: Sendable, Hashable, CustomStringConvertible {
    package let high, low: UInt64

    package init?(high: UInt64, low: UInt64) {
        guard high | low != 0 else { return nil }
        (self.high, self.low) = (high, low)
    }

    package var description: String { hex(high) + hex(low) }
}

/// The id of a span, which is never zero.
package struct SpanID: Sendable, Hashable, CustomStringConvertible {
    package let number: UInt64

    package init?(_ number: UInt64) {
        guard number != 0 else { return nil }
        self.number = number
    }

    package var description: String { hex(number) }
}

private func hex(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
}

/// The identity of a span: its trace, its own id, and whether it is sampled (W3C Trace Context, level 1).
package struct TraceContext: Sendable, Hashable {
    package let trace: TraceID
    package let span: SpanID
    package let isSampled: Bool

    package init(trace: TraceID, span: SpanID, isSampled: Bool) {
        (self.trace, self.span, self.isSampled) = (trace, span, isSampled)
    }

    /// Parses the header `traceparent`, or returns `nil` if the text is not valid. Additional fields, which a later
    /// version may define, are ignored.
    package init?(traceparent text: String) {
        var text = text
        guard let parts = text.withUTF8({ Self.parts($0) }) else { return nil }
        self = parts
    }

    private static func parts(_ text: UnsafeBufferPointer<UInt8>) -> TraceContext? {
        let dash = UInt8(ascii: "-")
        guard text.count >= 55, text[2] == dash, text[35] == dash, text[52] == dash,
            let version = number(text[0..<2]), version != 0xFF, let flags = number(text[53..<55]),
            version == 0 ? text.count == 55 : text.count == 55 || text[55] == dash,
            let high = number(text[3..<19]), let low = number(text[19..<35]), let span = number(text[36..<52]),
            let trace = TraceID(high: high, low: low), let span = SpanID(span)
        else { return nil }
        return TraceContext(trace: trace, span: span, isSampled: flags & 1 == 1)
    }

    /// Parses up to 16 hexadecimal digits in lower case, or returns `nil` if there is any other character.
    private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }

    /// The value of the header `traceparent` in version 00, whose only flag is `sampled`.
    package var traceparent: String { "00-\(trace)-\(span)-\(isSampled ? "01" : "00")" }
}
