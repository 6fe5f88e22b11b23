import Foundation
package import PushModel

/// A secret that is shared with the receiver, in the form of Standard Webhooks: `whsec_`, followed by 24 to 64 bytes in
/// base64.
package struct WebhookSecret: Sendable, Hashable {
    private static let prefix = "whsec_"
    private static let lengths = 24...64

    /// The bytes of the signing key.
    package let key: Secret

    /// Parses a secret.
    ///
    /// - Throws: ``WebhookFault`` if the text is malformed.
    package init(_ text: String) throws(WebhookFault) {
        guard text.hasPrefix(Self.prefix), let bytes = Data(base64Encoded: String(text.dropFirst(Self.prefix.count))),
            Self.lengths.contains(bytes.count)
        else { throw WebhookFault("a secret must be whsec_ followed by 24 to 64 bytes in base64") }
        key = Secret(bytes)
    }

    private init(_ key: Secret) { self.key = key }

    /// Returns a new secret of 32 random bytes.
    package static func random() -> WebhookSecret {
        WebhookSecret(Secret((0..<32).map { _ in UInt8.random(in: .min ... .max) }))
    }

    /// The secret in the text form that both sides store.
    package var text: String { Self.prefix + key.withBytes { Data($0).base64EncodedString() } }
}
