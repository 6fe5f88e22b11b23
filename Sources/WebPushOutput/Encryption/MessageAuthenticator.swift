import Crypto

/// An HMAC with SHA-256 (RFC 2104) that reuses its memory. The encryption of a message computes five authentication
/// codes. The library's HMAC keeps keys and both hashes in separate objects and takes three times as long.
struct MessageAuthenticator: ~Copyable {
    private static let blockBytes = SHA256.blockByteCount
    private static let innerPad: UInt8 = 0x36
    private static let outerPad: UInt8 = 0x5C

    /// The padded key, followed by the data to hash.
    private let memory: UnsafeMutableRawBufferPointer

    /// Allocates the memory.
    ///
    /// - Parameter longest: the length of the longest message, in bytes.
    init(longest: Int) {
        memory = .allocate(byteCount: Self.blockBytes + max(longest, SHA256.byteCount), alignment: 8)
    }

    deinit { memory.deallocate() }

    /// Returns the code of a message.
    ///
    /// - Parameters:
    ///   - key: a key of at most 64 bytes.
    ///   - message: a message that is not longer than the `longest` of the initializer.
    mutating func code(_ message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer) -> SHA256.Digest {
        let inner = hash(message, key: key, pad: Self.innerPad)
        return inner.withUnsafeBytes { hash($0, key: key, pad: Self.outerPad) }
    }

    private func hash(
        _ message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, pad: UInt8
    ) -> SHA256.Digest {
        for index in 0..<Self.blockBytes { memory[index] = (index < key.count ? key[index] : 0) ^ pad }
        let end = Self.blockBytes + message.count
        UnsafeMutableRawBufferPointer(rebasing: memory[Self.blockBytes..<end]).copyMemory(from: message)
        var hash = SHA256()
        hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: memory[..<end]))
        return hash.finalize()
    }
}
