/// The id a provider gives an accepted push (`apns-id`): a UUID, kept as 16 bytes because there is one for
/// every push.
public struct ProviderID: Sendable, Hashable {
    private let high: UInt64
    private let low: UInt64

    /// Reads the canonical 8-4-4-4-12 form, of either case; nil when it is not that.
    public init?(ascii: UnsafeBufferPointer<UInt8>) {
        guard ascii.count == 36 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        var digits = 0
        for (index, byte) in ascii.enumerated() {
            if Self.dashes.contains(index) {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = byte.hexDigitValue else { return nil }
            if digits < 16 { words.0 = words.0 << 4 | UInt64(digit) } else { words.1 = words.1 << 4 | UInt64(digit) }
            digits += 1
        }
        (high, low) = words
    }

    private static let dashes: [Int] = [8, 13, 18, 23]

    /// Appends the canonical form in lower case.
    package func append(to output: inout [UInt8]) {
        for nibble in 0..<32 {
            if nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20 { output.append(UInt8(ascii: "-")) }
            let word = nibble < 16 ? high : low
            output.append(JSONText.hexDigits[Int(word >> UInt64(60 - 4 * (nibble & 15)) & 0xF)])
        }
    }
}

extension ProviderID: CustomStringConvertible {
    public var description: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
