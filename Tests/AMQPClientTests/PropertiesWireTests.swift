import AMQPClient
import Testing

/// Properties as anybody may send them.
@Suite("Properties on the wire")
struct PropertiesWireTests {
    /// A header that is an array in an array, and so on.
    private func nested(_ levels: Int) -> [UInt8] {
        var value: [UInt8] = []
        for level in 0..<levels { value += [UInt8(ascii: "A")] + size((levels - 1 - level) * 5 + 1) }
        let entry = [1, UInt8(ascii: "a")] + value + [UInt8(ascii: "V")]
        return [0x20, 0] + size(entry.count) + entry
    }

    private func size(_ count: Int) -> [UInt8] { withUnsafeBytes(of: UInt32(count).bigEndian) { Array($0) } }

    private func levels(_ value: AMQPFieldValue?) -> Int {
        guard case .array(let values) = value else { return 0 }
        return 1 + (values.map(levels).max() ?? 0)
    }

    @Test("headers are read down to 32 levels, the table being the first", arguments: [1, 31, 32, 33, 26_000])
    func depth(nesting: Int) throws {
        let (properties, problem) = AMQPProperties.read(wire: nested(nesting))
        #expect(problem == (nesting > 31 ? "are nested deeper than 32 levels" : nil))
        #expect(properties.headers.entries.count == 1)
        #expect(levels(properties.headers["a"]) == min(nesting, 31))
        let wire = try #require(properties.wire())
        let (again, none) = AMQPProperties.read(wire: wire)
        #expect(again.headers == properties.headers && none == nil)
    }

    @Test("what is no UTF-8 is repaired, and can still be published")
    func repaired() throws {
        let garbage = Array(repeating: 0xFF as UInt8, count: 255)
        let header = [255] + garbage + [UInt8(ascii: "V")]
        // Headers and message id.
        let wire = [0x20, 0x80] + size(header.count) + header + [255] + garbage
        let (properties, problem) = AMQPProperties.read(wire: wire)
        #expect(problem == nil)
        #expect(properties.messageID == String(repeating: "\u{FFFD}", count: 85))
        #expect(properties.headers.entries.map(\.key) == [String(repeating: "\u{FFFD}", count: 85)])
        #expect(properties.wire() != nil)
    }

    @Test("what is cut off is told, and nothing beyond it is read")
    func cutOff() {
        let whole = nested(3)
        for length in 0..<whole.count {
            let (_, problem) = AMQPProperties.read(wire: Array(whole.prefix(length)))
            #expect(problem == "are cut off", "\(length)")
        }
        // A length that reaches beyond its table, and one that no frame has room for.
        for length in [2, 4, UInt32.max] {
            let text = [UInt8(ascii: "S")] + size(Int(length)) + [UInt8(ascii: "x")]
            let table = [1, UInt8(ascii: "a")] + text
            let (properties, problem) = AMQPProperties.read(
                wire: [0x20, 0x80] + size(table.count) + table + [1, UInt8(ascii: "m")])
            #expect(problem == "are cut off" && properties.headers.isEmpty, "\(length)")
            #expect(properties.messageID == "m", "what comes after the table is where it was")
        }
    }

    @Test("a value of no known type is told; what comes before and after the table is read")
    func unknownType() {
        let table = [1, UInt8(ascii: "a"), UInt8(ascii: "V"), 1, UInt8(ascii: "b"), UInt8(ascii: "?"), 1, 2, 3]
        let (properties, problem) = AMQPProperties.read(
            wire: [0xA0, 0x80, 1, UInt8(ascii: "t")] + size(table.count) + table + [1, UInt8(ascii: "m")])
        #expect(problem == "have a value of the unknown type 63")
        #expect(properties == AMQPProperties(contentType: "t", headers: ["a": .void], messageID: "m"))
    }

    @Test("flags beyond the first sixteen are passed over")
    func moreFlags() {
        let (properties, problem) = AMQPProperties.read(wire: [0, 0x81, 0, 1, 0, 0, 1, UInt8(ascii: "m")])
        #expect(problem == nil && properties.messageID == "m")
    }
}
