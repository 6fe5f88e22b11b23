/// A duration as protocol buffers write it in JSON: seconds, up to nine digits of a fraction, and an "s".
struct Lifetime {
    let seconds: Double

    private static let mostDigits = 12, mostDecimals = 9

    /// - Returns: nil if it is none.
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

    /// The number that one digit or more make, and ten to the power of how many; nil: there are none, or too many.
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
