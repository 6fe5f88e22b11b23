/// A sequential reader of AMQP values in a buffer (AMQP 0-9-1, section 4.2.5). It never reads beyond the end of the
/// buffer.
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

    /// Returns the bytes of a value that is preceded by its length in four bytes.
    mutating func takeLong() throws(Unreadable) -> UnsafeRawBufferPointer { try take(Int(try integer(UInt32.self))) }

    /// Returns a short string. AMQP defines names and strings as UTF-8, and invalid UTF-8 is repaired. A repaired byte
    /// takes three bytes, so the result is truncated to 255 bytes. Longer strings could not be published again.
    mutating func shortString() throws(Unreadable) -> String { Self.text(try takeShort()) }

    /// Returns a short string.
    ///
    /// - Parameter expected: the most frequent value, for which no new string is created.
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
