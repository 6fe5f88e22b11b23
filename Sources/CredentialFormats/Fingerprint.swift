internal import Crypto

/// What people compare keys and certificates by.
package enum Fingerprint {
    /// SHA-256 in hex.
    package static func sha256(_ bytes: some Sequence<UInt8>) -> String {
        SHA256.hash(data: Array(bytes)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
