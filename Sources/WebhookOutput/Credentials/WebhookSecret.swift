import Foundation
package import PushModel

/// A secret that both sides know, in the form of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64.
package struct WebhookSecret: Sendable, Hashable {
    private static let prefix = "whsec_"
    private static let lengths = 24...64

    /// The bytes that sign.
    package let key: Secret

    /// - Throws: ``WebhookFault``.
    package init(_ text: String) throws(WebhookFault) {
        guard text.hasPrefix(Self.prefix), let bytes = Data(base64Encoded: String(text.dropFirst(Self.prefix.count))),
            Self.lengths.contains(bytes.count)
        else { throw WebhookFault("a secret must be whsec_ and 24 to 64 bytes in base64") }
        key = Secret(bytes)
    }

    private init(_ key: Secret) { self.key = key }

    /// A new one, of 32 random bytes.
    package static func random() -> WebhookSecret {
        WebhookSecret(Secret((0..<32).map { _ in UInt8.random(in: .min ... .max) }))
    }

    /// As both sides write it.
    package var text: String { Self.prefix + key.withBytes { Data($0).base64EncodedString() } }
}
