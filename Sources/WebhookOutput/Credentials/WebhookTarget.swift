import CredentialFormats
import Foundation
package import PushModel

/// What a credential of this output is: where batches go, and what they are signed with. Sealed as JSON, in the form in
/// which it is imported: `{"url": "https://…", "secrets": ["whsec_…"]}`.
package struct WebhookTarget: Sendable, Hashable {
    /// A new secret before the old one, for as long as the receiver may know either.
    private static let mostSecrets = 4

    private struct Contents: Codable {
        let url: String
        let secrets: [String]
    }

    /// As it was written.
    package let text: String
    package let url: WebhookURL
    package let secrets: [WebhookSecret]

    /// - Throws: ``WebhookFault``.
    package init(url text: String, secrets: [WebhookSecret]) throws(WebhookFault) {
        guard (1...Self.mostSecrets).contains(secrets.count), Set(secrets).count == secrets.count else {
            throw WebhookFault("there must be 1 to \(Self.mostSecrets) secrets, each another one")
        }
        self.text = text
        url = try WebhookURL(text)
        self.secrets = secrets
    }

    /// - Throws: ``WebhookFault``.
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

    /// SHA-256 in hex, of what nobody can guess.
    package var fingerprint: String { json.withBytes { Fingerprint.sha256($0) } }
}
