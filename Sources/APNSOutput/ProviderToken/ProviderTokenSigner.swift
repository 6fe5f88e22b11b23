import Crypto
import Foundation
package import PushModel

/// A signer for Apple's provider tokens. A token is a JWT (RFC 7519) with ES256, `kid` in the header, and the claims
/// `iss` and `iat`.
package struct ProviderTokenSigner: Sendable {
    private struct Header: Encodable {
        let alg = "ES256"
        let kid: String
    }

    private struct Claims: Encodable {
        let iss: String
        let iat: Int64
    }

    private let key: P256.Signing.PrivateKey
    private let keyID: String
    private let team: String

    /// Creates a signer for a private key.
    ///
    /// - Throws: an error if the PEM contains no P-256 private key.
    package init(privateKeyPEM: Secret, keyID: String, team: String) throws {
        key = try privateKeyPEM.withBytes {
            try P256.Signing.PrivateKey(pemRepresentation: String(decoding: $0, as: UTF8.self))
        }
        self.keyID = keyID
        self.team = team
    }

    package func sign(issuedAt: Timestamp) throws -> Secret {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let header = Base64URL.text(try encoder.encode(Header(kid: keyID)))
        let claims = Base64URL.text(try encoder.encode(Claims(iss: team, iat: issuedAt.seconds)))
        let signingInput = "\(header).\(claims)"
        let signature = try key.signature(for: Data(signingInput.utf8)).rawRepresentation
        return Secret("\(signingInput).\(Base64URL.text(signature))".utf8)
    }
}
