import APNSOutput
import HTTP2Session
import Testing

/// Requests and answers as in Apple's "Sending channel management requests to APNs".
@Suite struct BroadcastChannelTests {
    private static let app = "com.example.sport"

    @Test(
        arguments: [
            (.create(app: app, storage: .none), "POST", "/1/apps/com.example.sport/channels", nil),
            (.read(app: app, channel: "Y2g="), "GET", "/1/apps/com.example.sport/channels", "Y2g="),
            (.delete(app: app, channel: "Y2g="), "DELETE", "/1/apps/com.example.sport/channels", "Y2g="),
            (.list(app: app), "GET", "/1/apps/com.example.sport/all-channels", nil),
        ] as [(BroadcastChannelRequest, String, String, String?)])
    func buildsRequests(request: BroadcastChannelRequest, method: String, path: String, channel: String?) throws {
        let fields = request.fields(authority: "host:2196")
        func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
        #expect(try request.path == path)
        #expect(value(":method") == method && value(":scheme") == "https" && value(":authority") == "host:2196")
        #expect(value("apns-channel-id") == channel)
    }

    @Test(arguments: BroadcastChannelStorage.allCases)
    func sendsBodyOnlyWithCreation(storage: BroadcastChannelStorage) {
        let policy = storage == .mostRecent ? 1 : 0
        #expect(
            String(decoding: BroadcastChannelRequest.create(app: Self.app, storage: storage).body, as: UTF8.self)
                == #"{"message-storage-policy":\#(policy),"push-type":"LiveActivity"}"#)
        #expect(BroadcastChannelRequest.list(app: Self.app).body.isEmpty)
        #expect(BroadcastChannelStorage(policy: policy) == storage)
    }

    @Test(arguments: ["", "a/b", "a b", "ä", "../x?"])
    func rejectsAppThatDoesNotFitPath(app: String) {
        #expect(throws: BroadcastChannelError.badApp(app)) { try BroadcastChannelRequest.list(app: app).path }
    }

    @Test(
        arguments: [
            (#"{"channels":["Y2g=","b\/w=="]}"#, ["Y2g=", "b/w=="]), (#"{ "x":1, "channels": [ ] }"#, []),
            (#"{"channels":"Y2g="}"#, nil), (#"{"channels":[1]}"#, nil), (#"{"channels":["a""#, nil), ("{}", nil),
            ("[]", nil), ("", nil), ("<html>", nil), ("null", nil),
        ] as [(String, [String]?)])
    func readsChannelLists(body: String, expected: [String]?) {
        #expect(BroadcastChannelAnswer.channels(in: Array(body.utf8)) == expected)
    }

    @Test(
        arguments: [
            (#"{"message-storage-policy":1,"push-type":"LiveActivity"}"#, .mostRecent),
            (#"{"push-type":"LiveActivity","message-storage-policy":0}"#, BroadcastChannelStorage.none),
            (#"{"message-storage-policy":2}"#, nil), (#"{"message-storage-policy":"1"}"#, nil), ("{}", nil), ("", nil),
        ] as [(String, BroadcastChannelStorage?)])
    func readsStoragePolicies(body: String, expected: BroadcastChannelStorage?) {
        #expect(BroadcastChannelAnswer.storage(in: Array(body.utf8)) == expected)
    }

    @Test func describesErrorsWithAdvice() {
        #expect(
            "\(BroadcastChannelError.refused(status: 400, reason: "ChannelNotRegistered"))"
                == "APNs refused: 400 ChannelNotRegistered (there is no such channel in this environment)")
        #expect(
            "\(BroadcastChannelError.refused(status: 400, reason: "MadeUpLater"))" == "APNs refused: 400 MadeUpLater")
        #expect("\(BroadcastChannelError.refused(status: 502, reason: nil))" == "APNs refused: 502")
    }
}
