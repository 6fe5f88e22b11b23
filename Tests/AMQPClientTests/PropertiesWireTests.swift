import AMQPClient
import Testing

/// Properties that any publisher may send.
@Suite("Properties on the wire")
struct PropertiesWireTests {
    /// Returns the encoded properties with one header, an array that is nested the given number of levels deep.
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

    @Test("headers are read to a depth of 32 levels, including the table", arguments: [1, 31, 32, 33, 26_000])
    func readsHeadersTo32Levels(nesting: Int) throws {
        let (properties, problem) = AMQPProperties.read(wire: nested(nesting))
        #expect(problem == (nesting > 31 ? "are nested deeper than 32 levels" : nil))
        #expect(properties.headers.entries.count == 1)
        #expect(levels(properties.headers["a"]) == min(nesting, 31))
        let wire = try #require(properties.wire())
        let (again, none) = AMQPProperties.read(wire: wire)
        #expect(again.headers == properties.headers && none == nil)
    }

    @Test("invalid UTF-8 is repaired, and can still be published")
    func repairsInvalidUTF8() throws {
        let garbage = Array(repeating: 0xFF as UInt8, count: 255)
        let header = [255] + garbage + [UInt8(ascii: "V")]
        // The name of a header and the message id are invalid UTF-8.
        let wire = [0x20, 0x80] + size(header.count) + header + [255] + garbage
        let (properties, problem) = AMQPProperties.read(wire: wire)
        #expect(problem == nil)
        #expect(properties.messageID == String(repeating: "\u{FFFD}", count: 85))
        #expect(properties.headers.entries.map(\.key) == [String(repeating: "\u{FFFD}", count: 85)])
        #expect(properties.wire() != nil)
    }

    @Test("properties that are cut off are reported, and nothing beyond their end is read")
    func reportsPropertiesThatAreCutOff() {
        let whole = nested(3)
        for length in 0..<whole.count {
            let (_, problem) = AMQPProperties.read(wire: Array(whole.prefix(length)))
            #expect(problem == "are cut off", "\(length)")
        }
        // Lengths that extend beyond the table, and one that exceeds any frame.
        for length in [2, 4, UInt32.max] {
            let text = [UInt8(ascii: "S")] + size(Int(length)) + [UInt8(ascii: "x")]
            let table = [1, UInt8(ascii: "a")] + text
            let (properties, problem) = AMQPProperties.read(
                wire: [0x20, 0x80] + size(table.count) + table + [1, UInt8(ascii: "m")])
            #expect(problem == "are cut off" && properties.headers.isEmpty, "\(length)")
            #expect(properties.messageID == "m", "properties after the table must still be read")
        }
    }

    @Test("a value of an unknown type is reported, and the properties before and after the table are read")
    func reportsUnknownValueType() {
        let table = [1, UInt8(ascii: "a"), UInt8(ascii: "V"), 1, UInt8(ascii: "b"), UInt8(ascii: "?"), 1, 2, 3]
        let (properties, problem) = AMQPProperties.read(
            wire: [0xA0, 0x80, 1, UInt8(ascii: "t")] + size(table.count) + table + [1, UInt8(ascii: "m")])
        #expect(problem == "have a value of the unknown type 63")
        #expect(properties == AMQPProperties(contentType: "t", headers: ["a": .void], messageID: "m"))
    }

    @Test("property flags beyond the first sixteen are ignored")
    func ignoresFurtherPropertyFlags() {
        let (properties, problem) = AMQPProperties.read(wire: [0, 0x81, 0, 1, 0, 0, 1, UInt8(ascii: "m")])
        #expect(problem == nil && properties.messageID == "m")
    }
}
