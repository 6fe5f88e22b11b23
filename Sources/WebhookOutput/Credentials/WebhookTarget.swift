import CredentialFormats
import Foundation
package import PushModel

/// The contents of a webhook credential: the URL to which batches are sent, and the secrets that sign them. A
/// credential is imported and stored as JSON: `{"url": "https://…", "secrets": ["whsec_…"]}`.
package struct WebhookTarget: Sendable, Hashable {
    /// The maximum number of secrets. While a secret is replaced, batches are signed with the new and the old one.
    private static let mostSecrets = 4

    private struct Contents: Codable {
        let url: String
        let secrets: [String]
    }

    /// The URL as the operator wrote it.
    package let text: String
    package let url: WebhookURL
    package let secrets: [WebhookSecret]

    /// Creates a target.
    ///
    /// - Throws: ``WebhookFault`` if the URL or the number of secrets is invalid, or if two secrets are equal.
    package init(url text: String, secrets: [WebhookSecret]) throws(WebhookFault) {
        guard (1...Self.mostSecrets).contains(secrets.count), Set(secrets).count == secrets.count else {
            throw WebhookFault("there must be 1 to \(Self.mostSecrets) secrets, all different")
        }
        self.text = text
        url = try WebhookURL(text)
        self.secrets = secrets
    }

    /// Parses the JSON of a credential.
    ///
    /// - Throws: ``WebhookFault`` if the JSON is invalid.
    package init(json: Secret) throws(WebhookFault) {
        let contents = json.withBytes { try? JSONDecoder().decode(Contents.self, from: Data($0)) }
        guard let contents else {
            throw WebhookFault(#"must be JSON: {"url": "https://…", "secrets": ["whsec_…"]}"#)
        }
        var secrets: [WebhookSecret] = []
        for text in contents.secrets { secrets.append(try WebhookSecret(text)) }
        try self.init(url: contents.url, secrets: secrets)
    }

    /// The JSON form of the credential.
    package var json: Secret {
        var writer = JSONObjectWriter(capacity: 256)
        writer.member("url", string: text)
        writer.array("secrets") { output in
            for (place, secret) in secrets.enumerated() {
                if place > 0 { output.append(UInt8(ascii: ",")) }
                JSONText.append(secret.text, to: &output)
            }
        }
        return Secret(writer.finish())
    }

    /// The SHA-256 hash of the JSON, in hex. It reveals nothing, because the secrets in the JSON cannot be guessed.
    package var fingerprint: String { json.withBytes { Fingerprint.sha256($0) } }
}
