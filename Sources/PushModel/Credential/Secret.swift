/// Bytes that must never be seen: a private key, a passphrase, a signed token.
///
/// Printing, interpolating, dumping or reflecting one shows `<secret>`; the only way to the bytes is
/// ``withBytes(_:)``, so every use is visible in the code.
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let bytes: [UInt8]

    public init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    public var count: Int { bytes.count }

    public func withBytes<R, E: Error>(_ body: ([UInt8]) throws(E) -> R) throws(E) -> R {
        try body(bytes)
    }

    public var description: String { "<secret>" }
    public var debugDescription: String { "<secret>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
