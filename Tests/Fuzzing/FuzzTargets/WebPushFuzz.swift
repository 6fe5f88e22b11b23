import Foundations
import Foundation
import PushModel
import WebPushOutput

/// Fuzz targets for browsers' subscriptions and push services' answers.
enum WebPushFuzz {
    static func subscriptionViolation(in input: [UInt8]) -> String? {
        input.withUnsafeBufferPointer { bytes in endpointViolation(bytes) ?? keysViolation(bytes) }
    }

    /// Checks that an accepted endpoint has the same destination in Foundation, if Foundation can parse it.
    private static func endpointViolation(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        guard let endpoint = try? PushEndpoint(bytes) else { return nil }
        let host = endpoint.origin.host
        guard 1...65_535 ~= endpoint.origin.port, bytes[endpoint.path.lowerBound] == UInt8(ascii: "/"),
            endpoint.path.upperBound == bytes.count
        else { return "a bad origin or path" }
        guard
            host.utf8.allSatisfy({
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E
            })
        else { return "a bad host: \(host)" }
        // Foundation accepts fewer characters.
        guard let url = URLComponents(string: String(decoding: bytes, as: UTF8.self)) else { return nil }
        guard url.host?.lowercased() == host, url.port ?? 443 == endpoint.origin.port, url.user == nil,
            url.fragment == nil
        else { return "leads to \(url.host ?? "nowhere") instead" }
        return nil
    }

    /// Checks that a message can be encrypted for accepted keys.
    private static func keysViolation(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        guard let keys = try? Subscription(bytes).keys else { return nil }
        guard keys.point.count == 65, keys.point.first == 4, keys.secret.count == 16 else {
            return "the keys have wrong sizes"
        }
        var encryption = MessageEncryption()
        let body = try? encryption.body(MessageEncryption.record(of: "x".utf8), for: keys)
        return body?.count == 104 ? nil : "keys that nothing can be encrypted for"
    }

    /// Checks that the status alone decides whether a message was accepted or a subscription is gone.
    static func answerViolation(in input: [UInt8]) -> String? {
        let status = 100 + Int(input.first ?? 0) * 2 + Int(input.dropFirst().first ?? 0) % 2
        let services = [PushService.apple, .microsoft, .other]
        let service = services[Int(input.dropFirst().first ?? 0) % services.count]
        let words = RefusalBody(Array(input.dropFirst(2)))
        let answer = WebPushAnswer(status: status, words: words, from: service, hasRetryAfter: input.count % 2 == 0)
        if (answer == .accepted) != (200..<300).contains(status) { return "\(status) is \(answer)" }
        if answer == .subscriptionGone, status != 404, status != 410 {
            return "status \(status) marks the subscription dead"
        }
        let reason = answer.reason(status: status, words: words)
        let isWord = reason.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        }
        return isWord && (1...64).contains(reason.utf8.count) ? nil : "the reason \(reason)"
    }
}
