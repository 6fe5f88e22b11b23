import Foundations
import Foundation
import PushModel
import WebhookOutput

/// Fuzz targets for the answers of webhook receivers, and for receivers' URLs and secrets.
enum WebhookFuzz {
    /// Checks that an outcome contains only what the receiver stated about that recipient.
    static func answerViolation(in input: [UInt8]) -> String? {
        let recipients = Int(input.first ?? 0)
        let body = Array(input.dropFirst())
        guard let answer = BatchAnswer(body, recipients: recipients) else { return nil }
        guard answer.outcomes.count == recipients else { return "\(answer.outcomes.count) outcomes of \(recipients)" }
        // Foundation rejects text with half of a surrogate pair.
        guard let said = deaths(body) else { return nil }
        for (place, reported) in answer.outcomes.enumerated() {
            guard let reported else { continue }
            if reported.reason.map({ $0.utf8.count > ReportedOutcome.maximumReasonBytes }) == true {
                return "a long reason"
            }
            guard 0...86_400 ~= reported.retryAfterSeconds else { return "a wait of \(reported.retryAfterSeconds) s" }
            if reported.verdict == .unregistered, !said.contains(place) {
                return "\(place) is marked dead without a reported outcome"
            }
            if reported.verdict == .suppressed { return "the verdict is reserved for workers" }
        }
        return nil
    }

    /// Returns the recipients that are reported as dead according to Foundation's parser.
    private static func deaths(_ body: [UInt8]) -> Set<Int>? {
        guard let object = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] else { return nil }
        let outcomes = (object["outcomes"] as? [Any] ?? []).compactMap { $0 as? [String: Any] }
        return Set(outcomes.filter { $0["kind"] as? String == "unregistered" }.compactMap { $0["i"] as? Int })
    }

    /// Checks that an accepted URL is well-formed and that a stored target is read back unchanged.
    static func targetViolation(in input: [UInt8]) -> String? {
        guard let target = try? WebhookTarget(json: Secret(input)) else { return nil }
        guard (try? WebhookTarget(json: target.json)) == target else { return "the target differs after encoding" }
        let url = target.url
        guard url.path.hasPrefix("/"), url.path.utf8.allSatisfy({ 0x21...0x7e ~= $0 }) else { return "a bad path" }
        let hasOddHost = url.endpoint.host.contains { "@/\\?#%".contains($0) || $0.isWhitespace || !$0.isASCII }
        if hasOddHost || url.endpoint.host.isEmpty { return "a bad host: \(url.endpoint.host)" }
        return 1...65_535 ~= url.endpoint.port ? nil : "port \(url.endpoint.port)"
    }
}
