import APNSOutput
import HTTP2Session
import PushModel
import PushSending
import PushTestSupport
import Testing

@Suite struct BroadcastRequestTests {
    private static let channel = "dHN0LXNyY2gtY2hubA=="

    private func job(
        _ members: String..., app: String = "com.example.shop", channel: String = channel,
        payload: String = #"{"aps":{"timestamp":1,"event":"update","content-state":{}}}"#
    ) throws -> Job {
        let all = [#""app":"\#(app)""#, #""channel":"\#(channel)""#, #""payload":\#(payload)"#] + members
        return try Job.read("{\(all.joined(separator: ","))}")
    }

    private func reason(_ job: Job) -> String? {
        do {
            _ = try APNSRequest(for: job)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func sendsHeaderFieldsThatAppleRequires() throws {
        let request = try APNSRequest(for: job())
        #expect(
            request.headerFields == [
                HTTP2Field("apns-channel-id", Self.channel), HTTP2Field("apns-push-type", "liveactivity"),
                HTTP2Field("apns-priority", "10"), HTTP2Field("apns-expiration", "0"),
            ])
        #expect(request.topic == "com.example.shop", "the topic must be the app without the suffix")
    }

    @Test(arguments: [1, 5, 10])
    func sendsPriorityAndExpirationAsGiven(priority: Int) throws {
        let request = try APNSRequest(for: job(#""priority":\#(priority)"#, #""expires_at":1795168800"#))
        #expect(request.priority == priority)
        #expect(request.expiration == 1_795_168_800)
    }

    @Test func acceptsOnlyLiveActivityType() throws {
        #expect(try reason(job(#""push_type":"liveactivity""#)) == nil)
        for type in APNSPushType.allCases.map(\.rawValue) + ["wallet"] where type != "liveactivity" {
            #expect(try reason(job(#""push_type":"\#(type)""#)) == "InvalidPushType", "\(type)")
        }
    }

    @Test func rejectsStartEvent() throws {
        #expect(try reason(job(payload: #"{"aps":{"event":"start"}}"#)) == "BadRequestPayload")
        for payload in [#"{"aps":{"event":"end"}}"#, "{}", #"{"event":"start"}"#] {
            #expect(try reason(job(payload: payload)) == nil, "\(payload)")
        }
    }

    @Test(arguments: ["a b", "ä", "a\\n", "\\u007f", "\\u0000", String(repeating: "a", count: 256)])
    func rejectsChannelThatIsInvalidInHeader(channel: String) throws {
        #expect(try reason(job(channel: channel)) == "BadChannelId")
    }

    @Test(arguments: ["a/b", "a?b", "a b", "ä", "a%2e"])
    func rejectsAppThatIsInvalidInPath(app: String) throws {
        #expect(try reason(job(app: app)) == "BadTopic")
    }

    @Test(arguments: ["com.example.shop", "A-z_0.9~", String(repeating: "a", count: 200)])
    func writesAppIntoPath(app: String) throws {
        var path = BroadcastPath()
        #expect(path.write("org.example.first").map { String(decoding: $0, as: UTF8.self) }?.hasSuffix("first") == true)
        #expect(path.write(app).map { String(decoding: $0, as: UTF8.self) } == "/4/broadcasts/apps/" + app)
        #expect(path.write(app + "/") == nil)
        #expect(try reason(job(app: app)) == nil)
    }

    @Test(arguments: [(5_120, nil), (5_121, "PayloadTooLarge")])
    func limitsPayloadTo5120Bytes(bytes: Int, reason: String?) throws {
        let job = try job(payload: #"{"a":"\#(String(repeating: "x", count: bytes - 8))"}"#)
        let prepared = try PreparedJob(RoutedJob(job), sink: OutcomeRecorder())
        if let reason {
            #expect(throws: APNSRequest.Fault(reason: reason)) { try prepared.body(for: job.recipients[0]) }
        } else {
            #expect(try prepared.body(for: job.recipients[0]).count == bytes)
        }
    }
}
