/// What the recipients of an output are, and which of their texts are the same one. Registry, import and export go by
/// it.
public enum RecipientForm: Sendable, Hashable {
    /// Any text; another text is another recipient.
    case text
    /// An even number of hex digits, at most so many. The one form of it: lower case, without the angle brackets and
    /// spaces that older code prints tokens with. Text that is no hex stays as it is.
    case hex(maximumDigits: Int)

    package func canonical(_ token: String) -> String {
        guard case .hex = self else { return token }
        var token = token
        let digits: [UInt8]? = token.withUTF8 { utf8 in
            utf8.allSatisfy(\.isLowerCaseHexDigit) ? nil : Self.digits(of: UnsafeRawBufferPointer(utf8))
        }
        return digits.map { String(decoding: $0, as: UTF8.self) } ?? token
    }

    /// Why the text, in its one form, can be no recipient; nil: it can.
    package func problem(of token: String) -> String? {
        guard case .hex(let maximum) = self else { return nil }
        guard token.utf8.allSatisfy({ $0.hexDigitValue != nil }) else { return "has a character that is no hex digit" }
        guard token.utf8.count.isMultiple(of: 2), token.utf8.count <= maximum else {
            return "must have an even number of hex digits, at most \(maximum)"
        }
        return nil
    }

    /// The digits in lower case; nil where it is no hex.
    package static func digits(of token: UnsafeRawBufferPointer) -> [UInt8]? {
        var digits: [UInt8] = []
        digits.reserveCapacity(token.count)
        for byte in token {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digits.append(byte | 0x20)
            case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: " "): continue
            default:
                guard byte.isLowerCaseHexDigit else { return nil }
                digits.append(byte)
            }
        }
        return digits.isEmpty ? nil : digits
    }
}

extension UInt8 {
    fileprivate var isLowerCaseHexDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: false
        }
    }
}
