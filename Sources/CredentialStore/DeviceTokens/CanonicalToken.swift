import Glibc

/// The one form of a device token: hex digits in lower case, without the angle brackets and spaces that older code prints
/// tokens with. What is no hex stays as it is. Registry, filter, import and export go by it.
enum CanonicalToken {
    static func text(of token: String) -> String {
        var token = token
        let digits: [UInt8]? = token.withUTF8 { utf8 in
            utf8.allSatisfy(\.isLowerCaseHexDigit) ? nil : Self.digits(of: UnsafeRawBufferPointer(utf8))
        }
        return digits.map { String(decoding: $0, as: UTF8.self) } ?? token
    }

    /// nil where it is no hex.
    static func digits(of token: UnsafeRawBufferPointer) -> [UInt8]? {
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

    /// Whether there may be more to leave out than upper case.
    static func mayBeWrapped(_ token: UnsafeRawBufferPointer) -> Bool {
        guard let base = token.baseAddress, let first = token.first, let last = token.last else { return false }
        return first == UInt8(ascii: "<") || last == UInt8(ascii: ">") || memchr(base, 0x20, token.count) != nil
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
