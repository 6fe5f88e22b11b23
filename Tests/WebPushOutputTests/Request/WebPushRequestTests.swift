import PushModel
import PushSending
import PushTestSupport
import Testing
import WebPushOutput

@Suite struct WebPushRequestTests {
    private static let now = Timestamp(seconds: 1_795_168_800)

    private func request(_ members: String...) throws -> WebPushRequest {
        try WebPushRequest(for: try Job.read(Job.sampleText(members)), defaultTTL: 2_419_200)
    }

    @Test(
        arguments: [
            ("", 2_419_200, 2_419_200), (#""expires_at":0"#, 0, 1),
            (#""expires_at":"2026-11-20T10:01:00Z""#, 60, 60), (#""expires_at":"2026-11-20T10:00:00Z""#, 1, 1),
            (#""expires_at":"2026-11-20T09:59:00Z""#, 1, 1),
            (#""expires_at":"2027-11-20T10:00:00Z""#, 2_419_200, 2_419_200),
        ] as [(String, Int64, Int64)])
    func computesTTLFromExpiry(member: String, expected: Int64, apple: Int64) throws {
        let request = try member.isEmpty ? request() : request(member)
        #expect(request.ttl(at: Self.now, to: .other) == expected)
        #expect(request.ttl(at: Self.now, to: .microsoft) == expected)
        #expect(request.ttl(at: Self.now, to: .apple) == apple)
    }

    @Test func sendsApplePositiveTTL() throws {
        let request = try WebPushRequest(for: try Job.read(Job.sampleText([])), defaultTTL: 0)
        #expect(request.ttl(at: Self.now, to: .other) == 0)
        #expect(request.ttl(at: Self.now, to: .apple) == 1)
    }

    @Test(arguments: [("", nil), (#""priority":10"#, "high"), (#""priority":5"#, nil), (#""priority":1"#, "low")])
    func mapsPriorityToUrgency(member: String, expected: String?) throws {
        #expect(try (member.isEmpty ? request() : request(member)).urgency == expected)
    }

    @Test func mapsPushTypeToContentType() throws {
        #expect(try request().contentType == "application/octet-stream")
        #expect(try request(#""push_type":"declarative""#).contentType == "application/notification+json")
        #expect(throws: WebPushFault.badPushType) { try request(#""push_type":"alert""#) }
    }

    @Test(
        arguments: [
            (#"{"web_push":8030,"notification":{}}"#, true), (#"{ "a":1, "web_push" : 8030 }"#, true),
            (#"{"web_push":8031}"#, false), (#"{"web_push":"8030"}"#, false), ("{}", false),
            (#"{"data":{"web_push":8030}}"#, false), (#""web_push""#, false),
        ])
    func detectsDeclarativePayloads(text: String, isOne: Bool) {
        #expect(Array(text.utf8).withUnsafeBufferPointer { DeclarativePayload.isOne($0) } == isOne)
    }
}

@Suite struct TopicFieldTests {
    /// Apple refuses topics whose length is 1 modulo 4.
    @Test(arguments: ["ab", "abc", "abcd", "order-17", "A_b-", String(repeating: "x", count: 32)])
    func keepsValidTopics(text: String) {
        #expect(TopicField.value(collapseID: text, app: "shop") == text)
    }

    @Test(arguments: ["", "a", "abcde", "a b", "ä", "a.b", "order=", String(repeating: "x", count: 33)])
    func hashesInvalidTopics(text: String) {
        let value = TopicField.value(collapseID: text, app: "shop")
        #expect(value.utf8.count == 32)
        #expect(Base64URL.bytes(value)?.count == 24)
        #expect(value == TopicField.value(collapseID: text, app: "shop"))
        #expect(value != TopicField.value(collapseID: text, app: "news"))
    }

    @Test func hashesTopicAsDocumented() {
        // printf 'shop\0order 17' | sha256sum | xxd -r -p | base64
        #expect(TopicField.value(collapseID: "order 17", app: "shop") == "gmtKHuxAyeCBn0y8QLdzXS0DEYEz3RZh")
    }
}
