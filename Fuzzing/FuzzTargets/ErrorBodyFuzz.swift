import APNSOutput
import PushModel

/// Any body and any status must give a class and, at most, a reason and a time that can be told.
enum ErrorBodyFuzz {
    static func violation(in input: [UInt8]) -> String? {
        let status = 100 + Int(input.first ?? 0) * 4
        let body = APNSErrorBody(Array(input.dropFirst()))
        if let timestamp = body.timestamp {
            guard Timestamp.representable.contains(timestamp) else { return "a time that can't be told: \(timestamp)" }
            _ = timestamp.rfc3339
        }
        // Unescaping never makes a text longer than its JSON, but for U+FFFD, which three bytes stand for six.
        if let reason = body.reason, reason.utf8.count > input.count { return "a reason longer than its body" }
        let answerClass = APNSReason.classify(status: status, reason: body.reason)
        if answerClass == .tokenDead, status != 410, body.reason != "Unregistered", body.reason != "ExpiredToken" {
            return "a token is dead for status \(status), reason \(body.reason ?? "-")"
        }
        return nil
    }
}
