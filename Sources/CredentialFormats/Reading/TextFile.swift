import Foundation

/// A detector that distinguishes text files from DER files. Text may have any encoding that editors use.
enum TextFile {
    /// Returns the text, or `nil` if the bytes are not text.
    static func text(of bytes: [UInt8]) -> String? {
        switch (bytes.first, bytes.dropFirst().first) {
        case (0xFF, 0xFE): return String(bytes: bytes.dropFirst(2), encoding: .utf16LittleEndian)
        case (0xFE, 0xFF): return String(bytes: bytes.dropFirst(2), encoding: .utf16BigEndian)
        case (0x2D, 0x00): return String(bytes: bytes, encoding: .utf16LittleEndian)
        case (0x00, 0x2D): return String(bytes: bytes, encoding: .utf16BigEndian)
        default: break
        }
        let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        // Text around PEM blocks may have any encoding. The blocks are ASCII.
        if bytes.contains(0) || !hasBlock(bytes) && !bytes.allSatisfy(isPrintable) { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func hasBlock(_ bytes: ArraySlice<UInt8>) -> Bool {
        Data(bytes).range(of: Data("-----BEGIN ".utf8)) != nil
    }

    private static func isPrintable(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) || (0x09...0x0D).contains(byte) || byte >= 0x80
    }
}
