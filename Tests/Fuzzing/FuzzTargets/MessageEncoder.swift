/// An encoder that turns a fuzzer's input into message properties in wire format (AMQP 0-9-1, section 4.2.5, and
/// RabbitMQ's errata). Random bytes rarely form a table that is read beyond its first entry.
enum MessageEncoder {
    /// Returns the flags and fields of the class `basic`.
    static func properties(_ input: inout InputReader) -> [UInt8] {
        let flags = UInt16(input.byte()) << 8 | UInt16(input.byte() & 0xfc)
        var wire = bigEndian(flags)
        for bit in stride(from: 15, through: 2, by: -1) where flags & 1 << UInt16(bit) != 0 {
            switch bit {
            case 13: wire += table(&input, depth: 0)
            case 12, 11: wire.append(input.byte())
            case 6: wire += fixed(8, &input)
            default: wire += shortText(&input)
            }
        }
        return wire
    }

    private static func table(_ input: inout InputReader, depth: Int) -> [UInt8] {
        var entries: [UInt8] = []
        for _ in 0..<input.byte() % 12 where !input.isAtEnd {
            entries += key(&input) + value(&input, depth: depth)
        }
        return sized(entries)
    }

    private static func key(_ input: inout InputReader) -> [UInt8] {
        let choice = Int(input.byte())
        guard choice < names.count else { return shortText(&input) }
        return [UInt8(names[choice].utf8.count)] + Array(names[choice].utf8)
    }

    private static func value(_ input: inout InputReader, depth: Int) -> [UInt8] {
        let kind = input.byte() % 24
        switch kind {
        case 0: return letter("t") + fixed(1, &input)
        case 1: return letter("b") + fixed(1, &input)
        case 2: return letter("B") + fixed(1, &input)
        case 3: return letter("s") + fixed(2, &input)
        case 4: return letter("u") + fixed(2, &input)
        case 5: return letter("I") + fixed(4, &input)
        case 6: return letter("i") + fixed(4, &input)
        case 7: return letter("l") + fixed(8, &input)
        case 8: return letter("L") + fixed(8, &input)
        case 9: return letter("f") + fixed(4, &input)
        case 10: return letter("d") + fixed(8, &input)
        case 11: return letter("D") + fixed(5, &input)
        case 12, 13: return letter("S") + sized(input.bytes(Int(input.byte())))
        case 14: return letter("x") + sized(input.bytes(Int(input.byte())))
        case 15: return letter("T") + fixed(8, &input)
        case 16: return letter("V")
        case 17 where depth < 8: return letter("F") + table(&input, depth: depth + 1)
        case 18 where depth < 8: return letter("A") + array(&input, depth: depth + 1)
        case 19:
            // A long text that uses few bytes of the input.
            return letter("S") + sized(Array(repeating: input.byte(), count: Int(input.byte()) * 300))
        case 20: return nested(letter("A"), Int(input.byte()) * 90)
        case 21: return nested(letter("F"), Int(input.byte()) * 80)
        case 22:
            // Many entries of two bytes each.
            return letter("F")
                + sized(Array(repeatElement([0, letter("V")[0]], count: Int(input.byte()) * 100).joined()))
        default: return fixed(1, &input) + input.bytes(Int(input.byte() % 16))
        }
    }

    private static func array(_ input: inout InputReader, depth: Int) -> [UInt8] {
        var elements: [UInt8] = []
        for _ in 0..<input.byte() % 8 where !input.isAtEnd { elements += value(&input, depth: depth) }
        return sized(elements)
    }

    /// Returns nested arrays or tables, each the only element of the one around it.
    private static func nested(_ kind: [UInt8], _ levels: Int) -> [UInt8] {
        let name: [UInt8] = kind == letter("F") ? [0] : []
        let step = name.count + 1 + 4
        var wire: [UInt8] = []
        for level in 0..<levels {
            let inside = (levels - 1 - level) * step + name.count + 1
            wire += kind + bigEndian(UInt32(inside)) + name
        }
        return wire + letter("V")
    }

    private static func fixed(_ count: Int, _ input: inout InputReader) -> [UInt8] {
        let bytes = input.bytes(count)
        return bytes + Array(repeating: 0, count: count - bytes.count)
    }

    private static func shortText(_ input: inout InputReader) -> [UInt8] {
        let bytes = input.bytes(Int(input.byte()))
        return [UInt8(bytes.count)] + bytes
    }

    private static func sized(_ bytes: [UInt8]) -> [UInt8] { bigEndian(UInt32(bytes.count)) + bytes }

    private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    private static func letter(_ letter: Unicode.Scalar) -> [UInt8] { [UInt8(ascii: letter)] }

    private static let names = [
        "x-martlet-attempt", "x-martlet-first-attempt-at", "x-martlet-redelivered", "x-martlet-publisher",
        "x-martlet-part", "x-martlet-chunk", "x-martlet-lane", "x-martlet-reason", "x-martlet-delivered-before",
        "traceparent", "x-delivery-count", "x-death", "x-first-death-reason", "x-last-death-queue", "mine",
        "tracestate",
    ]
}
