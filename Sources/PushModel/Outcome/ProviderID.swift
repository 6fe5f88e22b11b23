/// The id a provider gives an accepted push (`apns-id`): a UUID, kept as its text in fixed space, because
/// there is one for every push and text is all that is ever asked of it.
public struct ProviderID: Sendable, Hashable {
    private static let length = 36

    private let head: (UInt64, UInt64, UInt64, UInt64)
    private let tail: UInt32

    /// Reads the 36 characters of a UUID, of either case; nil when there are more or fewer, or others than hex
    /// digits and dashes. Where the dashes are is not checked.
    public init?(ascii: UnsafeBufferPointer<UInt8>) {
        guard ascii.count == Self.length, let base = UnsafeRawPointer(ascii.baseAddress) else { return nil }
        // Without a branch, which random digits would make unpredictable: there is an id for every push.
        var others: UInt64 = 0
        for byte in ascii {
            let members = byte & 0x40 == 0 ? Self.digitsAndDash : Self.letters
            others |= ~(members >> UInt64(byte & 0x3F)) | UInt64(byte >> 7)
        }
        guard others & 1 == 0 else { return nil }
        func word(_ offset: Int) -> UInt64 {
            base.loadUnaligned(fromByteOffset: offset, as: UInt64.self) | UInt64(Self.lowerCase)
                &* 0x0101_0101_0101_0101
        }
        head = (word(0), word(8), word(16), word(24))
        tail = base.loadUnaligned(fromByteOffset: 32, as: UInt32.self) | UInt32(Self.lowerCase) &* 0x0101_0101
    }

    /// Bit n stands for the character n: `0` to `9` and `-`.
    private static let digitsAndDash: UInt64 = 0x03FF_2000_0000_0000
    /// Bit n stands for the character 64 + n: `A` to `F` and `a` to `f`.
    private static let letters: UInt64 = 0x0000_007E_0000_007E

    /// Setting this bit lowers letters and leaves digits and dashes as they are.
    private static let lowerCase: UInt8 = 0x20

    /// Appends the text in lower case.
    package func append(to output: inout [UInt8]) {
        withUnsafeBytes(of: head) { output.append(contentsOf: $0) }
        withUnsafeBytes(of: tail) { output.append(contentsOf: $0) }
    }

    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.head == rhs.head && lhs.tail == rhs.tail }

    public func hash(into hasher: inout Hasher) {
        withUnsafeBytes(of: head) { hasher.combine(bytes: $0) }
        hasher.combine(tail)
    }
}

extension ProviderID: CustomStringConvertible {
    public var description: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
