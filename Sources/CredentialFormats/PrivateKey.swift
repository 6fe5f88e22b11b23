import Foundation
public import PushModel

/// A decrypted private key from a file.
public struct PrivateKey: Sendable, Hashable {
    public let algorithm: KeyAlgorithm
    /// The unencrypted key in PKCS#8 (RFC 5208), in DER.
    public let der: Secret
    /// The public key as SubjectPublicKeyInfo (RFC 5280). A certificate for this key contains the same bytes.
    public let publicKeyDER: [UInt8]

    /// The unencrypted key in PEM, the form of Apple's `.p8` files.
    public var pem: Secret {
        der.withBytes { der in
            let body = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            return Secret("-----BEGIN PRIVATE KEY-----\n\(body)\n-----END PRIVATE KEY-----\n".utf8)
        }
    }
}
