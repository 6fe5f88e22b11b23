import CredentialFormats
import Crypto
import Foundation
package import PushModel

/// A reader for the private key of a VAPID key pair, in the formats that tools write: PEM, 32 bytes as base64url, or
/// the JSON of `web-push generate-vapid-keys --json`.
package struct VAPIDKeyReader {
    private struct KeyPairFile: Decodable {
        let privateKey: String
        let publicKey: String?
        let subject: String?
    }

    private static let keyBytes = 32

    private let passphrase: Secret?
    /// The subject that the operator gave, or `nil` to take it from the file.
    private let subject: String?

    package init(passphrase: Secret?, subject: String?) {
        self.passphrase = passphrase
        self.subject = subject
    }

    /// Reads a key pair from one file.
    ///
    /// - Throws: `CredentialFault` if the number of files is not one, or if the file or the subject is invalid.
    package func read(_ files: [CredentialFile]) throws(CredentialFault) -> VAPIDKey {
        guard let file = files.first else { throw CredentialFault("no file was given") }
        guard files.count == 1 else { throw CredentialFault("pass only one file, the one with the private key") }
        let text = file.contents.withBytes { bytes in
            String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }
        if text.hasPrefix("{") { return try key(json: text, file) }
        guard let raw = Base64URL.bytes(text), !raw.isEmpty else {
            return VAPIDKey(try pemKey(file), subject: try Self.checked(subject))
        }
        return VAPIDKey(try Self.key(raw, file), subject: try Self.checked(subject))
    }

    /// Returns the subject if it is valid.
    ///
    /// - Throws: `CredentialFault` if the subject is missing or invalid.
    package static func checked(_ subject: String?) throws(CredentialFault) -> String {
        guard let subject else {
            throw CredentialFault("--subject is required: a contact, such as mailto:push@yourdomain.com")
        }
        if let problem = VAPIDSubject.problem(of: subject) { throw CredentialFault("--subject \(problem)") }
        return subject
    }

    private func key(json text: String, _ file: CredentialFile) throws(CredentialFault) -> VAPIDKey {
        guard let pair = try? JSONDecoder().decode(KeyPairFile.self, from: Data(text.utf8)),
            let raw = Base64URL.bytes(pair.privateKey)
        else { throw file.fault("is JSON without a privateKey as base64url") }
        let key = VAPIDKey(try Self.key(raw, file), subject: try Self.checked(subject ?? pair.subject))
        if let stated = pair.publicKey, Base64URL.bytes(stated) != Base64URL.bytes(key.publicKeyText) {
            throw file.fault("the public key does not belong to the private key")
        }
        return key
    }

    private static func key(_ raw: [UInt8], _ file: CredentialFile) throws(CredentialFault) -> P256.Signing.PrivateKey {
        if raw.count == ReceiverKeys.pointBytes { throw file.fault("is a public key: import the private key") }
        guard raw.count == keyBytes, let key = try? P256.Signing.PrivateKey(rawRepresentation: raw) else {
            throw file.fault("is not a P-256 private key: it has \(raw.count) bytes in base64 instead of 32")
        }
        return key
    }

    private func pemKey(_ file: CredentialFile) throws(CredentialFault) -> P256.Signing.PrivateKey {
        let contents = try file.open(passphrase: passphrase)
        guard contents.keys.count == 1, let key = contents.keys.first else {
            throw file.fault(contents.keys.isEmpty ? "has no private key" : "has more than one private key")
        }
        guard key.algorithm == .p256 else { throw file.fault("is a key for \(key.algorithm): Web Push requires P-256") }
        let read = key.pem.withBytes {
            try? P256.Signing.PrivateKey(pemRepresentation: String(decoding: $0, as: UTF8.self))
        }
        guard let read else { throw file.fault("has a private key that is damaged") }
        return read
    }
}
