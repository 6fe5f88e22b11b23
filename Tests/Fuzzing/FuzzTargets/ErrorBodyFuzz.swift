import APNSOutput
import PushModel

/// A fuzz target for APNs error bodies. Any body and status can be classified. The timestamp is in the representable
/// range, and the reason is not longer than the body.
enum ErrorBodyFuzz {
    static func violation(in input: [UInt8]) -> String? {
        let status = 100 + Int(input.first ?? 0) * 4
        let body = APNSErrorBody(Array(input.dropFirst()))
        if let timestamp = body.timestamp {
            guard Timestamp.representable.contains(timestamp) else { return "a time is out of range: \(timestamp)" }
            _ = timestamp.rfc3339
        }
        // Unescaping never makes a text longer than its JSON. Even U+FFFD has only three bytes, and it replaces an
        // escape of six.
        if let reason = body.reason, reason.utf8.count > input.count { return "a reason longer than its body" }
        let answerClass = APNSReason.classify(status: status, reason: body.reason)
        if answerClass == .tokenDead, status != 410, body.reason != "Unregistered", body.reason != "ExpiredToken" {
            return "a token is dead for status \(status), reason \(body.reason ?? "-")"
        }
        return nil
    }
}
