internal import PushSimulator

/// The header fields of a push that affect its delivery. Repeated fields are kept.
struct PushFields {
    var method = ""
    var authority = ""
    var path = ""
    var authorization: [String] = []
    var timesToLive: [String] = []
    var urgencies: [String] = []
    var topics: [String] = []
    var contentEncodings: [String] = []
    var cachePolicies: [String] = []
    /// Whether header fields from old drafts of RFC 8291 are present. The drafts specify a different encryption of the
    /// body.
    var hasOldFields = false

    mutating func take(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        var text: String { String(decoding: value, as: UTF8.self) }
        switch name.count {
        case 3 where name.equals("ttl"): timesToLive.append(text)
        case 5 where name.equals(":path"): path = text
        case 5 where name.equals("topic"): topics.append(text)
        case 7 where name.equals(":method"): method = text
        case 7 where name.equals("urgency"): urgencies.append(text)
        case 10 where name.equals(":authority"): authority = text
        case 10 where name.equals("crypto-key") || name.equals("encryption"): hasOldFields = true
        case 13 where name.equals("authorization"): authorization.append(text)
        case 16 where name.equals("content-encoding"): contentEncodings.append(text)
        case 18 where name.equals("x-wns-cache-policy"): cachePolicies.append(text)
        default: break
        }
    }

    var origin: String { "https://\(authority)" }
    var endpoint: String { origin + path }

    /// The time to live in seconds, or `nil` if it is missing or invalid.
    var life: Int? {
        guard timesToLive.count == 1, let text = timesToLive.first, !text.isEmpty,
            text.utf8.allSatisfy({ 0x30...0x39 ~= $0 })
        else { return nil }
        return Int(text)
    }

    /// Returns the problem with the fields that control delivery, or `nil` if there is none.
    func fault(_ persona: Persona) -> WebPushReason? {
        if timesToLive.isEmpty { return .missingTTL }
        // Apple's documentation requires a positive value.
        guard let life, life > 0 || persona != .apple else { return .badTTL }
        let isUrgent = urgencies.allSatisfy { ["very-low", "low", "normal", "high"].contains($0) }
        guard urgencies.count <= 1, isUrgent else { return .badUrgency }
        guard topics.count <= 1, topics.allSatisfy({ Self.isTopic($0, persona) }) else { return .badTopic }
        return persona == .microsoft ? cachePolicyFault(life) : nil
    }

    private static func isTopic(_ text: String, _ persona: Persona) -> Bool {
        guard (1...32).contains(text.utf8.count), text.utf8.allSatisfy(UnpaddedBase64.isDigit) else { return false }
        // Apple decodes the topic, so its length must be valid for base64url.
        return persona != .apple || text.utf8.count % 4 != 1
    }

    /// Returns the problem with Microsoft's cache policy field, or `nil` if there is none. The field controls whether a
    /// message is stored.
    private func cachePolicyFault(_ life: Int) -> WebPushReason? {
        guard cachePolicies.count <= 1, cachePolicies.allSatisfy({ ["cache", "no-cache"].contains($0) }) else {
            return .badCachePolicy
        }
        let isKept = cachePolicies.first.map { $0 == "cache" } ?? true
        return isKept == (life > 0) ? nil : .badCachePolicy
    }
}
