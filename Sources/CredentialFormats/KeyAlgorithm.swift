/// The algorithm of a key, as far as Martlet distinguishes algorithms.
public enum KeyAlgorithm: Sendable, Hashable, CustomStringConvertible {
    case rsa(bits: Int)
    /// ECDSA on NIST's P-256.
    case p256
    /// Another algorithm, by OpenSSL's name.
    case other(String)

    public var description: String {
        switch self {
        case .rsa(let bits): "RSA with \(bits) bits"
        case .p256: "P-256"
        case .other(let name): name
        }
    }
}
