/// The width and height of a PNG in pixels, according to its first chunk, IHDR (ISO/IEC 15948).
struct PNGSize: Hashable, CustomStringConvertible {
    let width: Int
    let height: Int

    var description: String { "\(width)×\(height)" }

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Reads the size of a PNG, or returns `nil` if the bytes are not a PNG.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 24, bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
            bytes[12..<16].elementsEqual("IHDR".utf8)
        else { return nil }
        func number(at start: Int) -> Int { bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } }
        width = number(at: 16)
        height = number(at: 20)
    }
}
