import CredentialFormats
import Foundation
package import PushModel

/// The contents of a webhook credential: the URL that batches go to, and the secrets that sign them. Sealed as JSON, in
/// the form in which it is imported: `{"url": "https://…", "secrets": ["whsec_…"]}`.
package struct WebhookTarget: Sendable, Hashable {
    /// The maximum number of secrets. A new secret precedes the old one as long as the receiver may know only one of
    /// them.
    private static let mostSecrets = 4

    private struct Contents: Codable {
        let url: String
        let secrets: [String]
    }

    /// The URL as it was given.
    package let text: String
    package let url: WebhookURL
    package let secrets: [WebhookSecret]

    /// - Throws: ``WebhookFault`` if the URL or the number of secrets is invalid, or if secrets are equal.
    package init(url text: String, secrets: [WebhookSecret]) throws(WebhookFault) {
        guard (1...Self.mostSecrets).contains(secrets.count), Set(secrets).count == secrets.count else {
            throw WebhookFault("there must be 1 to \(Self.mostSecrets) secrets, each another one")
        }
        self.text = text
        url = try WebhookURL(text)
        self.secrets = secrets
    }

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

    /// The SHA-256 of the JSON in hex. The JSON contains secrets, which cannot be guessed.
    package var fingerprint: String { json.withBytes { Fingerprint.sha256($0) } }
}
