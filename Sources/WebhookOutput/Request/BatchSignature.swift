import Crypto
import Foundation
import PushModel

/// Signs batches as Standard Webhooks has it: HMAC-SHA256 over id, time and body, so that a body can neither be changed nor
/// sent again later. One signature for each secret; the receiver needs to know one of them.
package struct BatchSignature {
    private let keys: [SymmetricKey]

    package init(_ secrets: [WebhookSecret]) {
        keys = secrets.map { $0.key.withBytes { SymmetricKey(data: $0) } }
    }

    /// The value of `webhook-signature`.
    ///
    /// - Parameter seconds: of `webhook-timestamp`, since 1970.
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
