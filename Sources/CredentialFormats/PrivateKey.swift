import Foundation
public import PushModel

/// A private key out of a file, decrypted.
public struct PrivateKey: Sendable, Hashable {
    public let algorithm: KeyAlgorithm
    /// PKCS#8 (RFC 5208), not encrypted.
    public let der: Secret
    /// Its public half as SubjectPublicKeyInfo (RFC 5280): the same bytes as in a certificate that it belongs to.
    public let publicKeyDER: [UInt8]

    /// The form of Apple's `.p8` files.
    public var pem: Secret {
        der.withBytes { der in
            let body = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            return Secret("-----BEGIN PRIVATE KEY-----\n\(body)\n-----END PRIVATE KEY-----\n".utf8)
        }
    }
}
