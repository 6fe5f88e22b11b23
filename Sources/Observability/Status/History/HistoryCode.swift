/// An encoding of counts as text with a fixed number of characters per count. A count below 2^`bits` is exact. A larger
/// count keeps its `bits` + 1 most significant bits, as a floating-point number does.
///
/// | code | characters | largest error | largest count |
/// |---|---|---|---|
/// | ``precise`` | 2 | 0.4 % | 2.7 × 10¹¹ |
/// | ``coarse`` | 1 | 20 % | 3.2 × 10⁹ |
///
/// The characters need no escape in JSON.
struct HistoryCode: Sendable {
    static let precise = HistoryCode(characters: 2, bits: 7)
    static let coarse = HistoryCode(characters: 1, bits: 1)

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    /// The value of each character of the alphabet, by the character's byte. All other bytes have the value -1.
    private static let values: [Int] = {
        var values = Array(repeating: -1, count: 256)
        for (value, byte) in alphabet.enumerated() { values[Int(byte)] = value }
        return values
    }()
    /// The largest exponent. An exponent has five bits.
    private static let largestExponent = 30

    let characters: Int
    /// The number of bits in a significand after its first bit.
    private let bits: Int

    /// Returns the text of a column of counts. The text is empty if all counts are 0.
    func text(of counts: [Int]) -> String {
        guard counts.contains(where: { $0 > 0 }) else { return "" }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(counts.count * characters)
        for count in counts {
            let code = code(of: count)
            for place in (0..<characters).reversed() { bytes.append(Self.alphabet[code >> (6 * place) & 63]) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Decodes the counts of a column into an array, at the index `first` and then every `stride` elements.
    ///
    /// - Returns: whether the text is empty or encodes exactly `count` counts.
    func read(_ text: Substring, count: Int, into counts: inout [Int], at first: Int, every stride: Int) -> Bool {
        if text.isEmpty { return true }
        let bytes = text.utf8
        guard bytes.count == count * characters else { return false }
        var (code, place, target) = (0, 0, first)
        for byte in bytes {
            let value = Self.values[Int(byte)]
            guard value >= 0 else { return false }
            code = code << 6 | value
            place += 1
            if place == characters {
                counts[target] = number(of: code)
                (code, place, target) = (0, 0, target + stride)
            }
        }
        return true
    }

    private func code(of count: Int) -> Int {
        let (one, number) = (1 << bits, max(0, count))
        guard number >= one else { return number }
        var exponent = Int.bitWidth - 1 - number.leadingZeroBitCount - bits
        var significand = number >> exponent
        if exponent > 0, number >> (exponent - 1) & 1 == 1 { significand += 1 }
        if significand == 2 * one { (significand, exponent) = (one, exponent + 1) }
        guard exponent <= Self.largestExponent else { return (Self.largestExponent + 2) * one - 1 }
        return (exponent + 1) * one + significand - one
    }

    private func number(of code: Int) -> Int {
        let one = 1 << bits
        return code < one ? code : (one + code % one) << (code / one - 1)
    }
}
