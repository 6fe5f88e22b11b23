import Foundations
import FCMOutput
import Foundation
import HTTP2Session
import PushModel

/// Fuzz targets for Google's answers, FCM payloads and service accounts.
enum FCMFuzz {
    /// Checks that only a 404 with UNREGISTERED reports a token as dead.
    static func answerViolation(in input: [UInt8]) -> String? {
        let status = 200 + Int(input.first ?? 0) * 2 + Int(input.dropFirst().first ?? 0) % 2
        let retryAfter = Int32(input.count % 3)
        let bytes = Array(input.dropFirst(2))
        let body = FCMErrorBody(bytes)
        let answer = FCMAnswer(status: status, body, retryAfter: retryAfter)
        if answer == .tokenDead, status != 404 || !bytes.isMentioning("UNREGISTERED") {
            return "status \(status) marks the token dead"
        }
        switch answer {
        case .retryAfter(let seconds), .projectMustWait(let seconds):
            if seconds <= 0 { return "a wait of \(seconds) s" }
        default: break
        }
        if case .token(let token, let seconds) = TokenAnswer(status: status, body: bytes) {
            guard status == 200, 60...86_400 ~= seconds, token.count > 0 else { return "a token of \(status)" }
        }
        return nil
    }

    /// Checks that a message contains everything in its payload, regardless of the job's other fields.
    static func messageViolation(in input: [UInt8]) -> String? {
        let payload = String(decoding: input, as: UTF8.self)
        let job =
            #"{"id":"1","app":"a.b","output":"fcm","recipients":["t"],"expires_at":1795168900,"priority":10,"#
            + #""collapse_id":"c","payload":\#(payload)}"#
        guard let decoded = try? JobDecoder.decode(Array(job.utf8), makeID: { "1" }) else { return nil }
        let now = Timestamp(seconds: 1_795_168_800)
        let routed = RoutedJob(
            job: decoded, environment: .production, credential: nil, lane: .normal, attempt: 1, redelivered: false,
            ledgerID: 0)
        guard (try? FCMPlugin().jobs.check(decoded)) != nil, decoded.recipients.count == 1,
            let message = try? PreparedMessage(routed, sink: NoSink(), now: now),
            let body = try? message.body(for: decoded.recipients[0], now: now)
        else { return nil }
        let sent = body.withUnsafeBytes { [UInt8]($0) }
        guard sent.withUnsafeBufferPointer({ JSONFuzz.accepts($0) }) else { return "the sent body is not JSON" }
        guard let whole = object(sent)?["message"] as? [String: Any], whole["token"] as? String == "t" else {
            // Foundation also rejects some text that the grammar allows.
            return object(Array(decoded.bytes(decoded.payload))) == nil ? nil : "it has no message, or no target"
        }
        guard let said = object(Array(decoded.bytes(decoded.payload))) else { return nil }
        for (name, value) in said where !isKept(value, in: whole[name]) { return "\(name) has changed" }
        return nil
    }

    /// Checks that an accepted account has a valid port in its token URI, and that a rejection states a reason.
    static func accountViolation(in input: [UInt8]) -> String? {
        do throws(ServiceAccount.Fault) {
            let account = try ServiceAccount(Secret(input))
            return 1...65_535 ~= account.tokenURI.endpoint.port ? nil : "port \(account.tokenURI.endpoint.port)"
        } catch {
            return error.description.isEmpty ? "a refusal without a reason" : nil
        }
    }

    private static func object(_ bytes: [UInt8]) -> [String: Any]? {
        (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any]
    }

    /// Returns whether `other` keeps all of `value`. Objects may have additional members, and any value may replace
    /// `null`.
    private static func isKept(_ value: Any, in other: Any?) -> Bool {
        if value is NSNull { return other != nil }
        guard let other else { return false }
        guard let members = value as? [String: Any] else { return (value as? NSObject) == (other as? NSObject) }
        guard let others = other as? [String: Any] else { return false }
        return members.allSatisfy { isKept($0.value, in: others[$0.key]) }
    }
}

private final class NoSink: OutcomeSink {
    func report(_ outcomes: [Outcome]) {}
}

extension [UInt8] {
    fileprivate func isMentioning(_ word: String) -> Bool {
        // A backslash may escape letters of the word.
        contains(UInt8(ascii: "\\")) || String(decoding: self, as: UTF8.self).contains(word)
    }
}
