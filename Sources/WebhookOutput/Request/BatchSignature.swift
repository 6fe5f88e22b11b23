import Crypto
import Foundation
import PushModel

/// A signer of batches according to Standard Webhooks: HMAC-SHA256 over id, time and body. A receiver that checks the
/// signature and the time detects a batch that was changed or is replayed later. Each secret adds one signature, and
/// the receiver needs to know only one of the secrets.
package struct BatchSignature {
    private let keys: [SymmetricKey]

    package init(_ secrets: [WebhookSecret]) {
        keys = secrets.map { $0.key.withBytes { SymmetricKey(data: $0) } }
    }

    /// Returns the value of the header field `webhook-signature`.
    ///
    /// - Parameter seconds: the value of `webhook-timestamp`, in seconds since 1970.
    package func value(id: String, seconds: Int64, body: [UInt8]) -> String {
        let head = Array("\(id).\(seconds).".utf8)
        return keys.map { key in
            var code = HMAC<SHA256>(key: key)
            code.update(data: head)
            code.update(data: body)
            return "v1,\(Data(code.finalize()).base64EncodedString())"
        }.joined(separator: " ")
    }
}
