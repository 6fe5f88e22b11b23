import CredentialFormats
import CryptoExtras
import Foundation
package import PushModel

/// The contents of the JSON file of a Google service account (Google Identity: "Using OAuth 2.0 for server to server
/// applications").
package struct ServiceAccount: Sendable {
    private struct File: Decodable {
        enum CodingKeys: String, CodingKey {
            case type
            case projectID = "project_id"
            case privateKeyID = "private_key_id"
            case privateKey = "private_key"
            case clientEmail = "client_email"
            case tokenURI = "token_uri"
        }

        let type: String?
        let projectID: String?
        let privateKeyID: String?
        let privateKey: String?
        let clientEmail: String?
        let tokenURI: String?
    }

    /// The reason why a text is not a service account, or why the account cannot be used.
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    /// The project to which the account belongs. The account may also send for other projects.
    package let projectID: String
    package let email: String
    package let keyID: String
    package let tokenURI: TokenURI
    let key: _RSA.Signing.PrivateKey

    /// Parses the JSON file of a service account.
    ///
    /// - Throws: ``Fault``, whose description contains no secret.
    package init(_ json: Secret) throws(Fault) {
        guard let file = try? json.withBytes({ try JSONDecoder().decode(File.self, from: Data($0)) }) else {
            throw Fault(description: "is not a service account in JSON")
        }
        guard file.type == "service_account" else {
            throw Fault(
                description:
                    "has the type \(file.type ?? "none"), but must have the type service_account: create a key in "
                    + "the Firebase console, under Project settings, Service accounts")
        }
        func member(_ name: String, _ value: String?) throws(Fault) -> String {
            guard let value, !value.isEmpty else { throw Fault(description: "has no \(name)") }
            return value
        }
        projectID = try member("project_id", file.projectID)
        email = try member("client_email", file.clientEmail)
        keyID = try member("private_key_id", file.privateKeyID)
        tokenURI = try TokenURI(try member("token_uri", file.tokenURI))
        let pem = try member("private_key", file.privateKey)
        do {
            key = try _RSA.Signing.PrivateKey(pemRepresentation: pem)
        } catch {
            throw Fault(
                description:
                    "has a private_key that cannot be read: it must be an RSA key in PEM, its line ends written as \\n")
        }
    }

    /// The SHA-256 hash of the public key, in hex.
    var fingerprint: String { Fingerprint.sha256(key.publicKey.derRepresentation) }

    /// Returns whether a URL path can contain the project id without encoding.
    static func isProject(_ id: String) -> Bool {
        let others = Set("-._:".utf8)
        return (1...128).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: others.contains(byte)
                }
            }
    }
}
