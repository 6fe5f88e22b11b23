#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Bytes that must never be displayed: a private key, a passphrase, a signed token.
///
/// Printing, interpolating, dumping or reflecting a secret shows `<secret>`, and a secret cannot be encoded.
/// ``withBytes(_:)`` is the only access to the bytes, so every use is visible in the code. The bytes are overwritten
/// when the last copy of the secret is released.
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    // why: only deinit changes the bytes, and no other thread can read them at that time
    private final class Storage: @unchecked Sendable {
        private(set) var bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        deinit {
            // If a copy of the array still exists, this writes to a new copy and leaves the existing one unchanged.
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

    /// Calls `body` with the bytes. If `body` copies them, it must erase the copy itself.
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

/// Overwrites memory with zeros. The compiler might remove a plain loop that writes to memory before it is freed.
private func erase(_ start: UnsafeMutableRawPointer, _ count: Int) {
    #if canImport(Glibc)
    explicit_bzero(start, count)
    #else
    memset_s(start, count, 0, count)
    #endif
}
