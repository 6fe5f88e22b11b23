/// The id a provider gives an accepted push (`apns-id`): a UUID, kept as its text in fixed space, because
/// there is one for every push and text is all that is ever asked of it.
public struct ProviderID: Sendable, Hashable {
    private static let length = 36

    private let head: (UInt64, UInt64, UInt64, UInt64)
    private let tail: UInt32

    /// Reads the 36 characters of a UUID, of either case; nil when there are more or fewer, or others than hex
    /// digits and dashes. Where the dashes are is not checked.
    public init?(ascii: UnsafeBufferPointer<UInt8>) {
        guard ascii.count == Self.length, let base = UnsafeRawPointer(ascii.baseAddress) else { return nil }
        // Setting this bit lowers letters and leaves digits and dashes as they are.
        let head = base.loadUnaligned(as: SIMD32<UInt8>.self) | 0x20
        let tail = base.loadUnaligned(fromByteOffset: 32, as: SIMD4<UInt8>.self) | 0x20
        guard Self.isUUIDText(head), Self.isUUIDText(tail) else { return nil }
        self.head = unsafeBitCast(head, to: (UInt64, UInt64, UInt64, UInt64).self)
        self.tail = unsafeBitCast(tail, to: UInt32.self)
    }

    @inline(__always)
    private static func isUUIDText<V: SIMD<UInt8>>(_ text: V) -> Bool {
        let digit = (text .>= UInt8(ascii: "0")) .& (text .<= UInt8(ascii: "9"))
        let letter = (text .>= UInt8(ascii: "a")) .& (text .<= UInt8(ascii: "f"))
        return all(digit .| letter .| (text .== UInt8(ascii: "-")))
    }

    /// Appends the text in lower case.
    package func append(to output: inout [UInt8]) {
        withUnsafeBytes(of: head) { output.append(contentsOf: $0) }
        withUnsafeBytes(of: tail) { output.append(contentsOf: $0) }
    }

    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.head == rhs.head && lhs.tail == rhs.tail }

    public func hash(into hasher: inout Hasher) {
        withUnsafeBytes(of: head) { hasher.combine(bytes: $0) }
        hasher.combine(tail)
    }
}

extension ProviderID: CustomStringConvertible {
    public var description: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
