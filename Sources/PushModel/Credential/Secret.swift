#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Bytes that must never be seen: a private key, a passphrase, a signed token.
///
/// Printing, interpolating, dumping or reflecting one shows `<secret>`, and it can't be encoded; the only way to
/// the bytes is ``withBytes(_:)``, so every use is visible in the code. With the last copy of it the bytes are
/// overwritten.
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    // why: nobody changes the bytes but deinit, when nobody else can read them any more
    private final class Storage: @unchecked Sendable {
        private(set) var bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        deinit {
            // An array that somebody has kept a copy of is left alone: this would write into a copy of its own.
            bytes.withUnsafeMutableBytes { buffer in
                if let start = buffer.baseAddress { erase(start, buffer.count) }
            }
        }
    }

    private let storage: Storage

    public init(_ bytes: some Sequence<UInt8>) {
        storage = Storage(Array(bytes))
    }

    public var count: Int { storage.bytes.count }

    /// Lends the bytes; what `body` copies of them is its own to erase.
    public func withBytes<R, E: Error>(_ body: ([UInt8]) throws(E) -> R) throws(E) -> R {
        try body(storage.bytes)
    }

    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.storage === rhs.storage || lhs.storage.bytes == rhs.storage.bytes
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(storage.bytes) }

    public var description: String { "<secret>" }
    public var debugDescription: String { "<secret>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Overwrites memory; a plain loop before the memory is freed might be optimised away.
private func erase(_ start: UnsafeMutableRawPointer, _ count: Int) {
    #if canImport(Glibc)
    explicit_bzero(start, count)
    #else
    memset_s(start, count, 0, count)
    #endif
}
