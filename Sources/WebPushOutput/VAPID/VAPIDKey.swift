import CredentialFormats
package import Crypto
import Foundation
package import PushModel

/// A key pair that identifies the sender (RFC 8292), and a contact for questions about its messages.
package struct VAPIDKey: Sendable {
    /// The stored form of the key pair, as JSON.
    private struct Stored: Codable {
        /// The private key as base64url, as the web-push tools write it.
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
    /// The public key with which pages subscribe. It is the `applicationServerKey` of `pushManager.subscribe`, in
    /// base64url without padding.
    package let publicKeyText: String
    private let key: P256.Signing.PrivateKey

    package init(_ key: P256.Signing.PrivateKey, subject: String) {
        self.key = key
        self.subject = subject
        publicKeyText = Base64URL.text(key.publicKey.x963Representation)
    }

    /// Creates a new key pair.
    package init(subject: String) {
        self.init(P256.Signing.PrivateKey(), subject: subject)
    }

    /// Reads a key from its stored form.
    ///
    /// - Throws: an error if the secret was not made by ``sealed()``.
    package init(sealed: Secret) throws {
        let stored = try sealed.withBytes { try JSONDecoder().decode(Stored.self, from: Data($0)) }
        guard let bytes = Base64URL.bytes(stored.key) else { throw CryptoKitError.incorrectParameterSize }
        self.init(try P256.Signing.PrivateKey(rawRepresentation: bytes), subject: stored.subject)
    }

    /// Returns the stored form of the key.
    package func sealed() throws -> Secret {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Secret(try encoder.encode(Stored(key: Base64URL.text(key.rawRepresentation), subject: subject)))
    }

    /// Returns the same key pair with another subject.
    package func with(subject: String) -> VAPIDKey { VAPIDKey(key, subject: subject) }

    /// The private key in PKCS#8 PEM.
    package var pem: Secret { Secret(key.pemRepresentation.utf8) }

    /// The SHA-256 hash of the public key, in hex.
    package var fingerprint: String {
        Fingerprint.sha256(key.publicKey.derRepresentation)
    }

    /// Returns the value of the header field `authorization` for messages to one origin.
    ///
    /// - Parameter audience: `https://host`, followed by the port if it is not 443.
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
