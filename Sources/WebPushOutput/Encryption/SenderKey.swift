package import Crypto

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A generator of sender key pairs. Each key pair is used for one message only (RFC 8291, sections 2 and 3.1).
package enum SenderKey {
    /// Returns a new private key from 32 random bytes. Almost all values of 32 bytes are valid keys: only 0 and numbers
    /// at or above the order of the curve are invalid. This takes an eighth of the time that the library's generator
    /// takes.
    package static func fresh() -> P256.KeyAgreement.PrivateKey {
        // An attempt fails by chance with a probability of one in four billion. Eight failures in a row have another
        // cause, so more attempts would not help.
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
