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
        let properties = try #require(AMQPProperties(wire: nested(nesting)))
        #expect(properties.headers.entries.count == 1)
        #expect(levels(properties.headers["a"]) == min(nesting, 31))
        let wire = try #require(properties.wire())
        #expect(AMQPProperties(wire: wire)?.headers == properties.headers)
    }

    @Test("what is no UTF-8 is repaired, and can still be published")
    func repaired() throws {
        let garbage = Array(repeating: 0xFF as UInt8, count: 255)
        let header = [255] + garbage + [UInt8(ascii: "V")]
        // Headers and message id.
        let wire = [0x20, 0x80] + size(header.count) + header + [255] + garbage
        let properties = try #require(AMQPProperties(wire: wire))
        #expect(properties.messageID == String(repeating: "\u{FFFD}", count: 85))
        #expect(properties.headers.entries.map(\.key) == [String(repeating: "\u{FFFD}", count: 85)])
        #expect(properties.wire() != nil)
    }

    @Test("what is cut off or of no known kind is refused")
    func malformed() {
        let whole = nested(3)
        for length in 0..<whole.count { #expect(AMQPProperties(wire: Array(whole.prefix(length))) == nil, "\(length)") }
        #expect(AMQPProperties(wire: [0x20, 0] + size(3) + [1, UInt8(ascii: "a"), UInt8(ascii: "?")]) == nil)
    }
}
