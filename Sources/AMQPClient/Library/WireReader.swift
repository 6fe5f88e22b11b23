/// Reads values in the order of the wire (AMQP 0-9-1, section 4.2.5), and nothing beyond the end.
struct WireReader {
    struct Unreadable: Error {
        let problem: String
    }

    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    mutating func integer<T: FixedWidthInteger>(_ type: T.Type = T.self) throws(Unreadable) -> T {
        T(bigEndian: try take(MemoryLayout<T>.size).loadUnaligned(as: T.self))
    }

    mutating func take(_ count: Int) throws(Unreadable) -> UnsafeRawBufferPointer {
        guard count <= bytes.count - position else { throw Unreadable(problem: "are cut off") }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
    }

    /// With its length before it, in four bytes.
    mutating func takeLong() throws(Unreadable) -> UnsafeRawBufferPointer { try take(Int(try integer(UInt32.self))) }

    /// Invalid UTF-8 is repaired: AMQP defines names and texts as UTF-8. A short string stays one: a repaired byte takes
    /// three, and what is longer than 255 bytes could never be published again.
    mutating func shortString() throws(Unreadable) -> String { Self.text(try takeShort()) }

    /// - Parameter expected: what it is most often, so that no copy of that is made.
    mutating func shortString(usually expected: String) throws(Unreadable) -> String {
        let bytes = try takeShort()
        return expected.utf8.elementsEqual(bytes) ? expected : Self.text(bytes)
    }

    private mutating func takeShort() throws(Unreadable) -> UnsafeRawBufferPointer {
        try take(Int(try integer(UInt8.self)))
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes, as: UTF8.self).cut(toBytes: 255)
    }
}
