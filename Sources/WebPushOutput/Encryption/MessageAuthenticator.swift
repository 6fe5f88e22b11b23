import Crypto

/// HMAC with SHA-256 (RFC 2104) in memory that is used again for each code. There are five for each message, and the
/// library's, which keeps keys and both hashes in objects of their own, takes three times as long.
struct MessageAuthenticator: ~Copyable {
    private static let blockBytes = SHA256.blockByteCount
    private static let innerPad: UInt8 = 0x36
    private static let outerPad: UInt8 = 0x5C

    /// The padded key, and behind it what is hashed with it.
    private let memory: UnsafeMutableRawBufferPointer

    /// - Parameter longest: bytes of the longest message.
    init(longest: Int) {
        memory = .allocate(byteCount: Self.blockBytes + max(longest, SHA256.byteCount), alignment: 8)
    }

    deinit { memory.deallocate() }

    /// - Parameters:
    ///   - key: at most 64 bytes.
    ///   - message: at most as long as the longest.
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
