import APNSOutput
import HTTP2Session
import Testing

/// Requests and answers of Apple's "Sending channel management requests to APNs".
@Suite struct APNSChannelTests {
    private static let app = "com.example.sport"

    @Test(
        arguments: [
            (.create(app: app, storage: .none), "POST", "/1/apps/com.example.sport/channels", nil),
            (.read(app: app, channel: "Y2g="), "GET", "/1/apps/com.example.sport/channels", "Y2g="),
            (.delete(app: app, channel: "Y2g="), "DELETE", "/1/apps/com.example.sport/channels", "Y2g="),
            (.list(app: app), "GET", "/1/apps/com.example.sport/all-channels", nil),
        ] as [(APNSChannelRequest, String, String, String?)])
    func requests(request: APNSChannelRequest, method: String, path: String, channel: String?) throws {
        let fields = request.fields(authority: "host:2196")
        func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
        #expect(try request.path == path)
        #expect(value(":method") == method && value(":scheme") == "https" && value(":authority") == "host:2196")
        #expect(value("apns-channel-id") == channel)
    }

    @Test(arguments: APNSChannelStorage.allCases)
    func onlyACreationHasABody(storage: APNSChannelStorage) {
        let policy = storage == .mostRecent ? 1 : 0
        #expect(
            String(decoding: APNSChannelRequest.create(app: Self.app, storage: storage).body, as: UTF8.self)
                == #"{"message-storage-policy":\#(policy),"push-type":"LiveActivity"}"#)
        #expect(APNSChannelRequest.list(app: Self.app).body.isEmpty)
        #expect(APNSChannelStorage(policy: policy) == storage)
    }

    @Test(arguments: ["", "a/b", "a b", "ä", "../x?"])
    func anAppMustFitIntoAPath(app: String) {
        #expect(throws: APNSChannelError.badApp(app)) { try APNSChannelRequest.list(app: app).path }
    }

    @Test(
        arguments: [
            (#"{"channels":["Y2g=","b\/w=="]}"#, ["Y2g=", "b/w=="]), (#"{ "x":1, "channels": [ ] }"#, []),
            (#"{"channels":"Y2g="}"#, nil), (#"{"channels":[1]}"#, nil), (#"{"channels":["a""#, nil), ("{}", nil),
            ("[]", nil), ("", nil), ("<html>", nil), ("null", nil),
        ] as [(String, [String]?)])
    func lists(body: String, expected: [String]?) {
        #expect(APNSChannelAnswer.channels(in: Array(body.utf8)) == expected)
    }

    @Test(
        arguments: [
            (#"{"message-storage-policy":1,"push-type":"LiveActivity"}"#, .mostRecent),
            (#"{"push-type":"LiveActivity","message-storage-policy":0}"#, APNSChannelStorage.none),
            (#"{"message-storage-policy":2}"#, nil), (#"{"message-storage-policy":"1"}"#, nil), ("{}", nil), ("", nil),
        ] as [(String, APNSChannelStorage?)])
    func storages(body: String, expected: APNSChannelStorage?) {
        #expect(APNSChannelAnswer.storage(in: Array(body.utf8)) == expected)
    }

    @Test func errorsSayWhatToDo() {
        #expect(
            "\(APNSChannelError.refused(status: 400, reason: "ChannelNotRegistered"))"
                == "APNs refused: 400 ChannelNotRegistered (there is no such channel in this environment)")
        #expect("\(APNSChannelError.refused(status: 400, reason: "MadeUpLater"))" == "APNs refused: 400 MadeUpLater")
        #expect("\(APNSChannelError.refused(status: 502, reason: nil))" == "APNs refused: 502")
    }
}
