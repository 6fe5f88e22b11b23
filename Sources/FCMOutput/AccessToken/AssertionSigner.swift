import CryptoExtras
import Foundation
import PushModel

/// A signer for the assertions with which a service account requests access tokens. An assertion is a JWT (RFC 7519)
/// signed with RS256. RFC 7523 defines how it is sent.
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

    /// The only OAuth scope that sending requires (Google: OAuth scopes of projects.messages.send).
    private static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    /// The lifetime of an assertion in seconds, which is Google's maximum.
    private static let lifetimeSeconds: Int64 = 3_600
    /// The number of seconds by which the time of issue is set back. A clock that is slightly fast would otherwise date
    /// assertions in the future.
    private static let backdatedSeconds: Int64 = 10

    private let account: ServiceAccount

    init(_ account: ServiceAccount) {
        self.account = account
    }

    /// Returns the form that is the body of the request to the token endpoint.
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
