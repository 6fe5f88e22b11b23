/// A duration in the JSON form of protocol buffers: seconds with up to nine decimals, followed by an "s".
struct Lifetime {
    let seconds: Double

    private static let mostDigits = 12, mostDecimals = 9

    /// Parses a duration.
    ///
    /// - Returns: the duration, or `nil` if the text is malformed.
    init?(_ text: String) {
        var rest = text.utf8[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest = rest.dropFirst() }
        guard var seconds = Self.takeDigits(Self.mostDigits, &rest)?.value else { return nil }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard let decimals = Self.takeDigits(Self.mostDecimals, &rest) else { return nil }
            seconds += decimals.value / decimals.scale
        }
        guard rest.elementsEqual("s".utf8) else { return nil }
        self.seconds = isNegative ? -seconds : seconds
    }

    /// Reads a group of digits. Returns its value, and ten to the power of its length. Returns `nil` if the group is
    /// empty or too long.
    private static func takeDigits(_ most: Int, _ rest: inout Substring.UTF8View) -> (value: Double, scale: Double)? {
        var value = 0.0, scale = 1.0, count = 0
        while let digit = rest.first, 0x30...0x39 ~= digit {
            value = value * 10 + Double(digit - 0x30)
            scale *= 10
            count += 1
            rest = rest.dropFirst()
        }
        return (1...most).contains(count) ? (value, scale) : nil
    }
}
