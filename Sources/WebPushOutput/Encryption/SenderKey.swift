package import Crypto

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A generator of sender key pairs. Each key pair is used for one message only (RFC 8291, sections 2 and 3.1).
package enum SenderKey {
    /// Returns a new private key. Almost any 32 random bytes are a valid key, because any number below the order of the
    /// curve is one. This takes an eighth of the time of the library's generator.
    package static func fresh() -> P256.KeyAgreement.PrivateKey {
        // An attempt fails with a probability of one in four billion. After eight failures, more attempts cannot
        // succeed.
        for _ in 0..<8 {
            let key = withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { bytes in
                bytes.fillAtRandom()
                return try? P256.KeyAgreement.PrivateKey(rawRepresentation: UnsafeRawBufferPointer(bytes))
            }
            if let key { return key }
        }
        return P256.KeyAgreement.PrivateKey(compactRepresentable: false)
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Fills the memory, at most 256 bytes, with random bytes that are suitable for keys.
    func fillAtRandom() {
        // getentropy may fail in a sandbox that forbids it. The standard library then uses another source.
        guard getentropy(baseAddress, count) != 0 else { return }
        for index in indices { self[index] = .random(in: .min ... .max) }
    }
}
