import Crypto

/// The digest function for claims. A digest is the first half of a SHA-256, written as a UUID.
enum ClaimDigest {
    static func uuid(_ bytes: [UInt8]) -> String {
        let hex = SHA256.hash(data: bytes).prefix(16).hexPairs
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { hex[$0].joined() }.joined(separator: "-")
    }
}
