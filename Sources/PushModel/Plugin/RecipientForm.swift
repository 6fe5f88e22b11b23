/// The form of the addresses of an output's recipients. It determines which strings stand for the same recipient in the
/// token registry, in imports and in exports.
public enum RecipientForm: Sendable, Hashable {
    /// Any string. Different strings are different recipients.
    case text
    /// An even number of hex digits, up to a maximum. The canonical form is in lower case, without the angle brackets
    /// and spaces that older app code adds to tokens. Text that is not hexadecimal stays unchanged.
    case hex(maximumDigits: Int)

    package func canonical(_ token: String) -> String {
        guard case .hex = self else { return token }
        var token = token
        let digits: [UInt8]? = token.withUTF8 { utf8 in
            utf8.allSatisfy(\.isLowerCaseHexDigit) ? nil : Self.digits(of: UnsafeRawBufferPointer(utf8))
        }
        return digits.map { String(decoding: $0, as: UTF8.self) } ?? token
    }

    /// Returns the reason why a string in canonical form cannot be a recipient, or `nil` if it can.
    package func problem(of token: String) -> String? {
        guard case .hex(let maximum) = self else { return nil }
        guard token.utf8.allSatisfy({ $0.hexDigitValue != nil }) else { return "has characters other than hex digits" }
        guard token.utf8.count.isMultiple(of: 2), token.utf8.count <= maximum else {
            return "must have an even number of hex digits, at most \(maximum)"
        }
        return nil
    }

    /// Returns the hex digits in lower case, without angle brackets and spaces. Returns `nil` if the token is not
    /// hexadecimal.
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
