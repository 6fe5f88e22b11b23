import CryptoExtras
import Foundation
import PushModel

/// Signs what a service account gets an access token for: a JWT (RFC 7519) with RS256, sent by RFC 7523.
struct AssertionSigner: Sendable {
    private struct Header: Encodable {
        let alg = "RS256"
        let kid: String
        let typ = "JWT"
    }

    private struct Claims: Encodable {
        let iss: String
        let scope: String
        let aud: String
        let iat: Int64
        let exp: Int64
    }

    /// All that is needed of a project's rights (Google: OAuth scopes of projects.messages.send).
    private static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    /// Google's greatest.
    private static let lifetimeSeconds: Int64 = 3_600
    /// A clock that is a little fast must not make an assertion of the future.
    private static let backdatedSeconds: Int64 = 10

    private let account: ServiceAccount

    init(_ account: ServiceAccount) {
        self.account = account
    }

    /// The body of the request to the token endpoint.
    func form(now: Timestamp) throws -> [UInt8] {
        let issued = now.seconds - Self.backdatedSeconds
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let header = Base64URL.text(try encoder.encode(Header(kid: account.keyID)))
        let claims = Base64URL.text(
            try encoder.encode(
                Claims(
                    iss: account.email, scope: Self.scope, aud: account.tokenURI.text, iat: issued,
                    exp: issued + Self.lifetimeSeconds)))
        let input = "\(header).\(claims)"
        let signature = try account.key.signature(for: Data(input.utf8), padding: .insecurePKCS1v1_5)
        let assertion = "\(input).\(Base64URL.text(signature.rawRepresentation))"
        return Array("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)".utf8)
    }
}
