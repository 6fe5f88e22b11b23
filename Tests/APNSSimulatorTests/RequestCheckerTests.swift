import APNSSimulator
import Testing

/// Each rejection reason, and values on both sides of each limit.
@Suite struct RequestCheckerTests {
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var changes: [String: String?]
        var bodyLength = 100
        var expected: RejectionReason?

        init(_ description: String, _ changes: [String: String?] = [:], body: Int = 100, _ expected: RejectionReason?) {
            testDescription = description
            self.changes = changes
            bodyLength = body
            self.expected = expected
        }
    }

    static let uuid = "eabeae54-14a8-11e5-b60b-1697f925ec7b"

    static let cases: [Case] = [
        Case("valid", [:], nil),
        Case(
            "all fields", ["apns-id": uuid, "apns-expiration": "0", "apns-priority": "5", "apns-collapse-id": "x"], nil),
        Case("GET", [":method": "GET"], .methodNotAllowed),
        Case("unknown path", [":path": "/3/devices/00"], .badPath),
        Case("no token", [":path": "/3/device/"], .missingDeviceToken),
        Case("no token, no slash", [":path": "/3/device"], .missingDeviceToken),
        Case("odd number of digits", [":path": "/3/device/abc"], .badDeviceToken),
        Case("token that is not hexadecimal", [":path": "/3/device/zz"], .badDeviceToken),
        Case("2 digits", [":path": "/3/device/0f"], nil),
        Case(
            "a token that no device has", [":path": "/3/device/" + String(repeating: "0", count: 64)], .badDeviceToken),
        Case("512 digits", [":path": "/3/device/" + String(repeating: "a", count: 512)], nil),
        Case("514 digits", [":path": "/3/device/" + String(repeating: "a", count: 514)], .badDeviceToken),
        Case("upper case token", [":path": "/3/device/ABCDEF"], nil),
        Case("apns-id not a UUID", ["apns-id": "42"], .badMessageID),
        Case("apns-id without hyphens", ["apns-id": String(repeating: "a", count: 36)], .badMessageID),
        Case("apns-id in upper case", ["apns-id": uuid.uppercased()], nil),
        Case("expiration in the past", ["apns-expiration": "1"], nil),
        Case("expiration negative", ["apns-expiration": "-1"], .badExpirationDate),
        Case("expiration text", ["apns-expiration": "soon"], .badExpirationDate),
        Case("priority 1", ["apns-priority": "1"], nil),
        Case("priority 10", ["apns-priority": "10"], nil),
        Case("priority 2", ["apns-priority": "2"], .badPriority),
        Case("background, priority 10", ["apns-push-type": "background", "apns-priority": "10"], .badPriority),
        Case("background, priority 5", ["apns-push-type": "background", "apns-priority": "5"], nil),
        Case("background, no priority", ["apns-push-type": "background"], nil),
        Case("collapse id of 64 bytes", ["apns-collapse-id": String(repeating: "é", count: 32)], nil),
        Case("collapse id of 65 bytes", ["apns-collapse-id": String(repeating: "é", count: 32) + "x"], .badCollapseID),
        Case("unknown push type", ["apns-push-type": "fax"], .invalidPushType),
        Case("no push type", ["apns-push-type": nil], nil),
        Case("no topic", ["apns-topic": nil], .missingTopic),
        Case("empty topic", ["apns-topic": ""], .badTopic),
        Case("topic with a space", ["apns-topic": "com example"], .badTopic),
        Case("voip with bare topic", ["apns-push-type": "voip"], .topicDisallowed),
        Case("voip", ["apns-push-type": "voip", "apns-topic": "com.example.voip"], nil),
        Case("alert with voip topic", ["apns-topic": "com.example.voip"], .topicDisallowed),
        Case("push to talk", ["apns-push-type": "pushtotalk", "apns-topic": "com.example.voip-ptt"], nil),
        Case("complication", ["apns-push-type": "complication", "apns-topic": "com.example.complication"], nil),
        Case("controls", ["apns-push-type": "controls", "apns-topic": "com.example.push-type.controls"], nil),
        Case("widgets", ["apns-push-type": "widgets", "apns-topic": "com.example.push-type.widgets"], nil),
        Case(
            "file provider", ["apns-push-type": "fileprovider", "apns-topic": "com.example.pushkit.fileprovider"], nil),
        Case(
            "live activity", ["apns-push-type": "liveactivity", "apns-topic": "com.example.push-type.liveactivity"], nil
        ),
        Case("live activity, bare topic", ["apns-push-type": "liveactivity"], .topicDisallowed),
        Case("location", ["apns-push-type": "location", "apns-topic": "com.example.location-query"], nil),
        Case("mdm", ["apns-push-type": "mdm", "apns-topic": "com.apple.mgmt.External.1"], nil),
        Case("empty payload", [:], body: 0, .payloadEmpty),
        Case("4,096 bytes", [:], body: 4_096, nil),
        Case("4,097 bytes", [:], body: 4_097, .payloadTooLarge),
        Case("voip, 5,120 bytes", ["apns-push-type": "voip", "apns-topic": "com.example.voip"], body: 5_120, nil),
        Case(
            "voip, 5,121 bytes", ["apns-push-type": "voip", "apns-topic": "com.example.voip"], body: 5_121,
            .payloadTooLarge),
        Case("voip by topic alone", ["apns-push-type": nil, "apns-topic": "com.example.voip"], body: 5_120, nil),
    ]

    @Test(arguments: cases) func returnsExpectedReason(_ input: Case) {
        var facts = Self.facts(input.changes, bodyLength: input.bodyLength)
        facts.authorization = .accepted
        #expect(RequestChecker(certificate: nil).check(facts) == input.expected)
    }

    private static func facts(_ changes: [String: String?] = [:], bodyLength: Int = 100) -> RequestProperties {
        var fields: [String: String?] = [
            ":method": "POST", ":path": "/3/device/00ff", "apns-topic": "com.example", "apns-push-type": "alert",
        ]
        fields.merge(changes) { $1 }
        var facts = RequestProperties()
        for (name, value) in fields {
            if let value { facts.take(name, value) }
        }
        facts.bodyLength = bodyLength
        return facts
    }

    @Test(arguments: [":path", "apns-topic", "apns-id", "content-type", "authorization"])
    func rejectsRepeatedField(name: String) {
        var facts = Self.facts()
        facts.authorization = .accepted
        for _ in 0..<2 {
            facts.take(name, name == "apns-id" ? Self.uuid : "/3/device/00ff")
        }
        #expect(RequestChecker(certificate: nil).check(facts) == .duplicateHeaders)
    }

    @Test func checksCredentialBeforeDeviceToken() {
        var facts = Self.facts([":path": "/3/device/zz"])
        #expect(RequestChecker(certificate: nil).check(facts) == .missingProviderToken)
        facts.authorization = .refused(.expiredProviderToken)
        #expect(RequestChecker(certificate: nil).check(facts) == .expiredProviderToken)
        facts.authorization = .accepted
        #expect(RequestChecker(certificate: nil).check(facts) == .badDeviceToken)
    }

    @Test func acceptsCertificateInsteadOfProviderToken() {
        let single = RequestChecker(certificate: .init(isForThisEnvironment: true, topicCount: 1))
        let several = RequestChecker(certificate: .init(isForThisEnvironment: true, topicCount: 2))
        let foreign = RequestChecker(certificate: .init(isForThisEnvironment: false, topicCount: 1))
        var facts = Self.facts()
        #expect(single.check(facts) == nil)
        #expect(foreign.check(facts) == .badCertificateEnvironment)
        facts.topicIsAllowed = false
        #expect(single.check(facts) == .topicDisallowed)
        let withoutTopic = Self.facts(["apns-topic": nil])
        #expect(single.check(withoutTopic) == nil)
        #expect(several.check(withoutTopic) == .missingTopic)
        let location = Self.facts(["apns-push-type": "location", "apns-topic": "com.example.location-query"])
        #expect(single.check(location) == .topicDisallowed)
    }

    @Test func hasDocumentedNumberOfReasonsPerStatus() {
        let statuses = Dictionary(grouping: RejectionReason.allCases, by: \.status).mapValues(\.count)
        #expect(statuses == [400: 14, 403: 8, 404: 1, 405: 1, 410: 2, 413: 1, 429: 2, 500: 1, 503: 2])
    }
}

extension RequestProperties {
    fileprivate mutating func take(_ name: String, _ value: String) {
        let field = Array(name.utf8).withUnsafeBytes { FieldName($0) }
        guard let field else {
            Issue.record("unknown field \(name)")
            return
        }
        Array(value.utf8).withUnsafeBytes { take(field, $0) }
    }
}
