/// The format of a sealed secret, which is stored as the secret's first byte.
enum SealFormat: UInt8 {
    /// The nonce, ciphertext and tag of a data key under the master key. They are followed by the nonce, ciphertext and
    /// tag of the secret under the data key.
    case dataKey = 1

    static let current = SealFormat.dataKey
}
