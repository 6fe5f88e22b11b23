/// The id a provider gives an accepted push. There is one for every push, and text is all that is ever asked of it: the
/// text of a UUID, which most are, is kept in place, without an allocation.
public struct ProviderID: Sendable, Hashable {
    /// The characters of a UUID, in lower case.
    private struct Short: Hashable {
        let head: (UInt64, UInt64, UInt64, UInt64)
        let tail: UInt32

        static func == (lhs: Self, rhs: Self) -> Bool { lhs.head == rhs.head && lhs.tail == rhs.tail }

        func hash(into hasher: inout Hasher) {
            withUnsafeBytes(of: head) { hasher.combine(bytes: $0) }
            hasher.combine(tail)
        }
    }

    private enum Form: Hashable {
        case short(Short)
        case long(String)
    }

    private static let uuidLength = 36
    /// Of any id; a longer one is none.
    package static let maximumLength = 512

    private let form: Form

    /// Reads the 36 characters of a UUID, of either case; nil when there are more or fewer, or others than hex
    /// digits and dashes. Where the dashes are is not checked.
    public init?(ascii: UnsafeBufferPointer<UInt8>) {
        guard ascii.count == Self.uuidLength, let base = UnsafeRawPointer(ascii.baseAddress) else { return nil }
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
        form = .short(
            Short(
                head: (word(0), word(8), word(16), word(24)),
                tail: base.loadUnaligned(fromByteOffset: 32, as: UInt32.self) | UInt32(Self.lowerCase) &* 0x0101_0101))
    }

    /// Any text of 1 to 512 bytes, as it is; nil for others.
    public init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count) else { return nil }
        form = .long(text)
    }

    /// Bit n stands for the character n: `0` to `9` and `-`.
    private static let digitsAndDash: UInt64 = 0x03FF_2000_0000_0000
    /// Bit n stands for the character 64 + n: `A` to `F` and `a` to `f`.
    private static let letters: UInt64 = 0x0000_007E_0000_007E

    /// Setting this bit lowers letters and leaves digits and dashes as they are.
    private static let lowerCase: UInt8 = 0x20

    /// Appends it as a JSON string, with its quotes.
    package func appendJSON(to output: inout [UInt8]) {
        switch form {
        case .short(let short):
            output.append(UInt8(ascii: "\""))
            Self.append(short, to: &output)
            output.append(UInt8(ascii: "\""))
        case .long(let text): JSONText.append(text, to: &output)
        }
    }

    private static func append(_ short: Short, to output: inout [UInt8]) {
        withUnsafeBytes(of: short.head) { output.append(contentsOf: $0) }
        withUnsafeBytes(of: short.tail) { output.append(contentsOf: $0) }
    }
}

extension ProviderID: CustomStringConvertible {
    public var description: String {
        switch form {
        case .short(let short):
            var bytes: [UInt8] = []
            Self.append(short, to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        case .long(let text): return text
        }
    }
}
