package import Crypto

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The key pair of one message, used for no other (RFC 8291, sections 2 and 3.1).
package enum SenderKey {
    /// A key is any number below the order of the curve, so almost any 32 random bytes are one. Making it of them takes
    /// an eighth of the time that the library's generator takes.
    package static func fresh() -> P256.KeyAgreement.PrivateKey {
        // why: more than one round has a chance of one in four billion, so many only where there is no chance at all.
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
    /// Fills it with random bytes fit for keys; at most 256.
    func fillAtRandom() {
        // It may fail where a sandbox forbids it; the standard library has other sources.
        guard getentropy(baseAddress, count) != 0 else { return }
        for index in indices { self[index] = .random(in: .min ... .max) }
    }
}
