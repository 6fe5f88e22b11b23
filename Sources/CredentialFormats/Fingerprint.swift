internal import Crypto

/// A function for the fingerprint with which people compare keys and certificates.
public enum Fingerprint {
    /// Returns the SHA-256 hash of bytes, in hex.
    public static func sha256(_ bytes: some Sequence<UInt8>) -> String {
        SHA256.hash(data: Array(bytes)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
