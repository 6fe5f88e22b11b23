/// The first byte of what is sealed.
enum SealFormat: UInt8 {
    /// Nonce, ciphertext and tag of the secret under the master key. Still opened, not made any more.
    case masterKeyOnly = 1
    /// Nonce, ciphertext and tag of a data key under the master key, then those of the secret under the data key.
    case dataKey = 2

    static let current = SealFormat.dataKey
}
