/// Base64 with the URL-safe alphabet and without padding (RFC 4648, section 5; RFC 7515, section 2).
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    /// The value of each character of the standard and the URL-safe alphabet. All other characters have a value of 64
    /// or more.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        values[Int(UInt8(ascii: "+"))] = 62
        values[Int(UInt8(ascii: "/"))] = 63
        return values
    }()

    package static func text(_ bytes: some Collection<UInt8>) -> String {
        String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { text in
            var count = 0
            var bits: UInt32 = 0
            var pending = 0
            func append(_ value: UInt32) {
                text[count] = alphabet[Int(value & 0x3F)]
                count += 1
            }
            for byte in bytes {
                bits = bits << 8 | UInt32(byte)
                pending += 8
                while pending >= 6 {
                    pending -= 6
                    append(bits >> UInt32(pending))
                }
            }
            if pending > 0 { append(bits << UInt32(6 - pending)) }
            return count
        }
    }

    /// Decodes text in the standard or the URL-safe alphabet, with or without padding, because encoders differ. Returns
    /// `nil` for other text.
    package static func bytes(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var bits: UInt32 = 0
        var digits = 0
        var padding = 0
        for character in text {
            guard character != UInt8(ascii: "=") else {
                padding += 1
                continue
            }
            let value = values[Int(character)]
            guard value < 64, padding == 0 else { return nil }
            bits = bits << 6 | UInt32(value)
            digits += 1
            switch digits % 4 {
            case 1: break
            case 2: bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
            case 3: bytes.append(UInt8(truncatingIfNeeded: bits >> 2))
            default: bytes.append(UInt8(truncatingIfNeeded: bits))
            }
        }
        guard digits % 4 != 1, padding == 0 || (digits + padding).isMultiple(of: 4) && padding < 3 else { return nil }
        return bytes
    }

    package static func bytes(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { bytes($0) }
    }
}
