internal import PushSimulator

/// The text of an `apns-id`: a UUID in its canonical form, in the original upper or lower case.
package struct MessageID: Sendable {
    // The first 36 lanes contain the text. The vector is used as a fixed-size array that needs no allocation.
    private var text: SIMD64<UInt8>
    private static let length = 36

    /// Parses the value of an `apns-id` field.
    ///
    /// - Returns: the id, or `nil` unless the value consists of 8-4-4-4-12 hex digits.
    init?(_ value: UnsafeRawBufferPointer) {
        guard value.count == Self.length else { return nil }
        text = SIMD64(repeating: 0)
        for position in 0..<Self.length {
            let byte = value[position]
            let isHyphen = position == 8 || position == 13 || position == 18 || position == 23
            guard isHyphen ? byte == 0x2d : hexValue(byte) != 0xff else { return nil }
            text[position] = byte
        }
    }

    /// Generates an id in upper case, as APNs does.
    init(from random: inout some RandomNumberGenerator) {
        text = SIMD64(repeating: 0x2d)
        var digits: UInt64 = 0
        var remaining = 0
        for position in 0..<Self.length where position != 8 && position != 13 && position != 18 && position != 23 {
            if remaining == 0 {
                digits = random.next()
                remaining = 16
            }
            let digit = UInt8(truncatingIfNeeded: digits & 0xf)
            text[position] = digit < 10 ? 0x30 + digit : 0x37 + digit
            digits >>= 4
            remaining -= 1
        }
    }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try Swift.withUnsafeBytes(of: text) { try body(UnsafeRawBufferPointer(rebasing: $0.prefix(Self.length))) }
    }

    package var description: String {
        withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}
