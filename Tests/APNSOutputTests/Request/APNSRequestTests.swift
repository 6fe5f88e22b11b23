import APNSOutput
import HTTP2Session
import PushModel
import PushTestSupport
import Testing

@Suite struct APNSRequestTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let type: String
        let suffix: String
        let priority: Int
        var expiration: Int64?
        var allowed = [1, 5, 10]
        var testDescription: String { type }
    }

    /// The push types in the table of Apple's "Sending notification requests to APNs".
    private static let rows = [
        Row(type: "alert", suffix: "", priority: 10), Row(type: "background", suffix: "", priority: 5, allowed: [5]),
        Row(type: "complication", suffix: ".complication", priority: 10),
        Row(type: "controls", suffix: ".push-type.controls", priority: 10),
        Row(type: "fileprovider", suffix: ".pushkit.fileprovider", priority: 10),
        Row(type: "liveactivity", suffix: ".push-type.liveactivity", priority: 10, allowed: [5, 10]),
        Row(type: "location", suffix: ".location-query", priority: 10), Row(type: "mdm", suffix: "", priority: 10),
        Row(type: "pushtotalk", suffix: ".voip-ptt", priority: 10, expiration: 0, allowed: [10]),
        Row(type: "voip", suffix: ".voip", priority: 10),
        Row(type: "widgets", suffix: ".push-type.widgets", priority: 5),
    ]

    private func request(_ members: String..., payload: String = #"{"aps":{"alert":"Hi"}}"#) throws -> APNSRequest {
        try APNSRequest(for: Job.read(Job.sampleText(payload: payload, members)))
    }

    private func reason(_ members: String..., payload: String = #"{"aps":{"alert":"Hi"}}"#) throws -> String? {
        let job = try Job.read(Job.sampleText(payload: payload, members))
        do {
            _ = try APNSRequest(for: job)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func coversEveryPushType() {
        #expect(Self.rows.map(\.type) == APNSPushType.allCases.map(\.rawValue))
    }

    @Test(arguments: rows)
    func derivesDefaultsFromPushType(row: Row) throws {
        let request = try request(#""push_type":"\#(row.type)""#)
        #expect(request.pushType.rawValue == row.type)
        #expect(request.topic == "com.example.shop" + row.suffix)
        #expect(request.priority == row.priority)
        #expect(request.expiration == row.expiration)
        #expect(request.collapseID == nil)
    }

    @Test(arguments: rows)
    func requiresSuffixInExplicitTopic(row: Row) throws {
        let type = #""push_type":"\#(row.type)""#
        #expect(try request(type, #""topic":"org.other\#(row.suffix)""#).topic == "org.other" + row.suffix)
        #expect(try reason(type, #""topic":"org.other""#) == (row.suffix.isEmpty ? nil : "BadTopic"))
        #expect(try reason(type, #""topic":"org.other\#(row.suffix)x""#) == (row.suffix.isEmpty ? nil : "BadTopic"))
    }

    @Test(arguments: rows, [1, 5, 10])
    func acceptsOnlyPrioritiesOfPushType(row: Row, priority: Int) throws {
        let members = [#""push_type":"\#(row.type)""#, #""priority":\#(priority)"#]
        let refused = !row.allowed.contains(priority)
        #expect(try reason(members[0], members[1]) == (refused ? "BadPriority" : nil))
        if !refused { #expect(try request(members[0], members[1]).priority == priority) }
    }

    @Test(
        arguments: [
            ("", nil, 0), (#""expires_at":0"#, 0, 0), (#""expires_at":1795168800"#, 1_795_168_800, nil),
            (#""expires_at":"2026-11-20T10:00:00.999Z""#, 1_795_168_800, nil),
        ] as [(String, Int64?, Int64?)])
    func readsExpirationForAlertAndPushToTalk(member: String, alert: Int64?, pushToTalk: Int64?) throws {
        let members = member.isEmpty ? [] : [member]
        #expect(try APNSRequest(for: Job.read(Job.sampleText(members))).expiration == alert)
        let talk = try Job.read(Job.sampleText(members + [#""push_type":"pushtotalk""#]))
        if let pushToTalk {
            #expect(try APNSRequest(for: talk).expiration == pushToTalk)
        } else {
            #expect(throws: APNSRequest.Fault(reason: "BadExpirationDate")) { try APNSRequest(for: talk) }
        }
    }

    @Test(arguments: ["Alert", "alert ", "wallet", "push-type.controls", "\\u0000"])
    func rejectsUnknownPushTypes(type: String) throws {
        #expect(try reason(#""push_type":"\#(type)""#) == "InvalidPushType")
    }

    @Test(
        arguments: [
            (#"{"aps":{"alert":"x"}}"#, "alert"), (#"{"aps":{"badge":0}}"#, "alert"),
            (#"{"aps":{"sound":"x"}}"#, "alert"),
            (#"{"aps":{"content-available":1}}"#, "background"),
            (#"{"aps":{"content-available":true}}"#, "background"),
            (#"{"aps":{"content-available":1,"badge":2}}"#, "alert"),
            (#"{"aps":{"content-available":true,"alert":"x"}}"#, "alert"),
            (#"{"aps":{"content-available":false}}"#, nil), (#"{"aps":{"content-available":"1"}}"#, nil),
            (#"{"aps":{"timestamp":1,"event":"start","alert":"x","attributes":{}}}"#, nil),
            (#"{"aps":{"event":7,"alert":"x"}}"#, "alert"), (#"{"event":"update","aps":{"alert":"x"}}"#, "alert"),
            ("{}", nil), (#"{"aps":{}}"#, nil), (#"{"aps":{"content-available":0}}"#, nil), (#"{"alert":"x"}"#, nil),
        ] as [(String, String?)])
    func infersPushTypeFromPayload(payload: String, type: String?) throws {
        if let type {
            #expect(try request(payload: payload).pushType.rawValue == type)
        } else {
            #expect(try reason(payload: payload) == "InvalidPushType")
        }
    }

    @Test(arguments: ["a b", "ä", "a\\n", "\\u007f"])
    func rejectsTopicsBeyondPrintableASCII(topic: String) throws {
        #expect(try reason(#""topic":"\#(topic)""#) == "BadTopic")
    }

    @Test(arguments: ["\\u0000", "a\\nb", "\\u001f", "\\u007f", "a\\tb"])
    func rejectsControlCharactersInCollapseID(id: String) throws {
        #expect(try reason(#""collapse_id":"\#(id)""#) == "BadCollapseId")
    }

    @Test func writesAllHeaderFields() throws {
        let request = try request(
            #""push_type":"voip""#, #""priority":5"#, #""expires_at":77"#, #""collapse_id":"é news""#)
        #expect(
            request.headerFields == [
                HTTP2Field("apns-topic", "com.example.shop.voip"), HTTP2Field("apns-push-type", "voip"),
                HTTP2Field("apns-priority", "5"), HTTP2Field("apns-expiration", "77"),
                HTTP2Field("apns-collapse-id", "é news"),
            ])
        #expect(
            try self.request().headerFields.map(\.name) == ["apns-topic", "apns-push-type", "apns-priority"],
            "an omitted expiration must not be sent as 0")
    }
}
