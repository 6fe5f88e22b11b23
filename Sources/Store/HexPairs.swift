extension Sequence<UInt8> {
    /// Each byte as two lower-case hex digits.
    var hexPairs: [String] { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) } }
}
