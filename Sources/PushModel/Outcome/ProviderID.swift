/// The id that a provider gives to an accepted push. Ids are only used as text. Most of them are UUIDs, whose text is
/// stored inline without an allocation.
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
    /// The maximum length of an id, in bytes. A longer string is not accepted as an id.
    package static let maximumLength = 512

    private let form: Form

    /// Creates an id from the text form of a UUID in either case. Returns `nil` unless the text has 36 characters that
    /// are all hex digits or dashes. The positions of the dashes are not checked.
    public init?(ascii: UnsafeBufferPointer<UInt8>) {
        guard ascii.count == Self.uuidLength, let base = UnsafeRawPointer(ascii.baseAddress) else { return nil }
        // The loop has no branch. It runs for every push, and the random digits would make a branch unpredictable.
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

    /// Creates an id from a string of 1 to 512 bytes, unchanged. Returns `nil` for other strings.
    public init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count) else { return nil }
        form = .long(text)
    }

    /// The set of the digits and the dash. Bit n stands for the ASCII character n.
    private static let digitsAndDash: UInt64 = 0x03FF_2000_0000_0000
    /// The set of the letters `A` to `F` and `a` to `f`. Bit n stands for the ASCII character 64 + n.
    private static let letters: UInt64 = 0x0000_007E_0000_007E

    /// The bit that turns letters into lower case. Setting it does not change digits and dashes.
    private static let lowerCase: UInt8 = 0x20

    /// Appends the id as a JSON string with its quotes.
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
