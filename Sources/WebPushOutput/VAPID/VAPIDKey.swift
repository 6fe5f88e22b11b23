import CredentialFormats
package import Crypto
import Foundation
package import PushModel

/// The key pair that says who sends (RFC 8292), and whom to write to about it.
package struct VAPIDKey: Sendable {
    /// As it is sealed.
    private struct Stored: Codable {
        /// The private key as base64url, as web-push's tools give it.
        let key: String
        let subject: String
    }

    private struct Header: Encodable {
        let alg = "ES256"
        let typ = "JWT"
    }

    private struct Claims: Encodable {
        let aud: String
        let exp: Int64
        let sub: String
    }

    package let subject: String
    /// What pages subscribe with: `applicationServerKey` of `pushManager.subscribe`, base64url without padding.
    package let publicKeyText: String
    private let key: P256.Signing.PrivateKey

    package init(_ key: P256.Signing.PrivateKey, subject: String) {
        self.key = key
        self.subject = subject
        publicKeyText = Base64URL.text(key.publicKey.x963Representation)
    }

    /// A new one.
    package init(subject: String) {
        self.init(P256.Signing.PrivateKey(), subject: subject)
    }

    /// - Throws: when it is not what ``sealed()`` gave.
    package init(sealed: Secret) throws {
        let stored = try sealed.withBytes { try JSONDecoder().decode(Stored.self, from: Data($0)) }
        guard let bytes = Base64URL.bytes(stored.key) else { throw CryptoKitError.incorrectParameterSize }
        self.init(try P256.Signing.PrivateKey(rawRepresentation: bytes), subject: stored.subject)
    }

    /// What is kept of it.
    package func sealed() throws -> Secret {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Secret(try encoder.encode(Stored(key: Base64URL.text(key.rawRepresentation), subject: subject)))
    }

    /// The same key pair with another subject.
    package func with(subject: String) -> VAPIDKey { VAPIDKey(key, subject: subject) }

    /// The private key in PKCS#8 PEM.
    package var pem: Secret { Secret(key.pemRepresentation.utf8) }

    /// SHA-256 of the public key, in hex.
    package var fingerprint: String {
        Fingerprint.sha256(key.publicKey.derRepresentation)
    }

    /// The value of `authorization` for messages to one origin.
    ///
    /// - Parameter audience: `https://host`, with a port that is not 443.
    package func authorization(for audience: String, expiring: Timestamp) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let header = Base64URL.text(try encoder.encode(Header()))
        let claims = Base64URL.text(
            try encoder.encode(Claims(aud: audience, exp: expiring.seconds, sub: subject)))
        let signingInput = "\(header).\(claims)"
        let signature = try key.signature(for: Data(signingInput.utf8)).rawRepresentation
        return "vapid t=\(signingInput).\(Base64URL.text(signature)), k=\(publicKeyText)"
    }
}
