import FCMSimulator
import SimulatorTestSupport
import Testing

/// The checks that FCM applies to a message, with cases on both sides of each limit.
@Suite struct MessageTests {
    struct Row: Sendable, CustomStringConvertible {
        /// The members after the target if the text begins with a quotation mark, or otherwise the whole body.
        let text: String
        var status = 400
        var says = ""
        /// The field that the error names.
        var field: String?
        /// Whether the error has FCM's own details, which errors from the JSON parser lack.
        var isOfFCM = false

        var description: String { String(text.prefix(100)) }

        static func good(_ text: String) -> Row { Row(text: text, status: 200) }
        static func type(_ text: String, _ field: String, _ says: String) -> Row {
            Row(text: text, says: says, field: field)
        }
        static func fcm(_ text: String, _ field: String, _ says: String) -> Row {
            Row(text: text, says: says, field: field, isOfFCM: true)
        }
    }

    static let token = FCMSession.token
    static func letters(_ count: Int) -> String { String(repeating: "a", count: count) }
    static func to(_ target: String) -> String { #"{"message":{\#(target),"data":{"n":"1"}}}"# }

    static let wholes: [Row] = [
        .type("{", "", "Unexpected token"), .type("[]", "", "Invalid value"), .type("", "", "Unexpected token"),
        .fcm("{}", "message", "invalid argument"), .type(#"{"message":3}"#, "message", "Invalid value at 'message'"),
        .type(#"{"message":{"token":"\#(token)"},"dry_run":true}"#, "", #"Unknown name \"dry_run\": Cannot find"#),
        .type(#"{"message":{"token":"\#(token)"}} x"#, "", "Unexpected token"),
        .type(#"{"message":{"token":"\#(token)","data":{"n":"01"},"android":{"ttl":01}}}"#, "", "Unexpected token"),
        .good(#"{"message":{"token":"\#(token)"},"validate_only":true}"#),
        .good(#"{"message":{"token":"\#(token)"},"validateOnly":true}"#),
        .type(
            #"{"message":{"token":"\#(token)"},"validate_only":"true"}"#, "validate_only", "(TYPE_BOOL), \\\"true\\\""),
    ]

    static let targets: [Row] = [
        .fcm(to(#""name":"x""#), "message", "Recipient of the message is not set."),
        .fcm(to(#""token":"""#), "message", "Recipient of the message is not set."),
        .fcm(to(#""token":null"#), "message", "Recipient of the message is not set."),
        .type(to(#""token":7"#), "message.token", "(TYPE_STRING), 7"),
        .type(
            to(#""token":"\#(token)","topic":"news""#), "message",
            "oneof field 'target' is already set. Cannot set 'topic'"),
        .good(to(#""token":"x","token":"\#(token)""#)),
        .fcm(to(#""token":"\#(token)","token":"x""#), "message.token", "not a valid FCM registration token"),
        .fcm(to(#""token":"APA91b""#), "message.token", "not a valid FCM registration token"),
        .fcm(to(#""token":"a:APA91c""#), "message.token", "not a valid FCM registration token"),
        .fcm(to(#""token":"a:APA91b=""#), "message.token", "not a valid FCM registration token"),
        .good(to(#""token":"a\u003aAPA91b""#)),
        .good(to(#""fid":"e_-45678901234567890ab""#)),
        .fcm(to(#""fid":"b_-45678901234567890ab""#), "message.fid", "not a valid"),
        .fcm(to(#""fid":"e_-45678901234567890a""#), "message.fid", "not a valid"),
        .fcm(to(#""fid":"e_-45678901234567890abc""#), "message.fid", "not a valid"),
        .good(to(#""topic":"a-Z_0.~%""#)), .fcm(to(#""topic":"/topics/news""#), "message.topic", "Invalid topic name"),
        .fcm(to(#""topic":"a b""#), "message.topic", "Invalid topic name"),
        .good(to(#""condition":"'a' in topics && !('b' in topics || 'c' in topics)""#)),
        .good(to(#""condition":"'a' in topics||'b' in topics||'c' in topics||'d' in topics||'e' in topics""#)),
        .fcm(
            to(
                #""condition":"'a' in topics||'b' in topics||'c' in topics||'d' in topics||'e' in topics||'f' in topics""#
            ),
            "message.condition", "Invalid condition"),
        .fcm(to(#""condition":"'a' in topics &&""#), "message.condition", "Invalid condition"),
        .fcm(to(#""condition":"('a' in topics""#), "message.condition", "Invalid condition"),
        .fcm(to(#""condition":"a in topics""#), "message.condition", "Invalid condition"),
    ]

    static let fields: [Row] = [
        .good(#""notification":{"title":"t","body":"b","image":"https://x"},"fcm_options":{"analytics_label":"l"}"#),
        .good(
            #""android":{"collapse_key":"k","collapseKey":"k","directBootOk":true,"priority":"HIGH"},"notification":null"#
        ),
        .type(#""foo":1"#, "message", #"Unknown name \"foo\" at 'message': Cannot find field."#),
        .type(
            #""notification":{"titel":"t"}"#, "message.notification",
            #"Unknown name \"titel\" at 'message.notification'"#),
        .type(#""notification":"t""#, "message.notification", "Invalid value at 'message.notification'"),
        .type(#""notification":{"title":1}"#, "message.notification.title", "(TYPE_STRING), 1"),
        .type(
            #""data":{"a":"1","n":2}"#, "message.data[1].value",
            "Invalid value at 'message.data[1].value' (TYPE_STRING), 2"),
        .type(#""data":{"a":{}}"#, "message.data[0].value", "TYPE_STRING"),
        .type(#""data":[]"#, "message.data", "Invalid"),
        .fcm(#""data":{"from":"x"}"#, "message.data", "Invalid data payload key: from"),
        .fcm(#""data":{"message_type":"x"}"#, "message.data", "Invalid data payload key: message_type"),
        .fcm(#""data":{"google.x":"x"}"#, "message.data", "Invalid data payload key: google.x"),
        .fcm(#""android":{"data":{"gcm.notification.x":"x"}}"#, "message.android.data", "key: gcm.notification.x"),
        .good(#""data":{"google":"x","gcm":"x","fromage":"x","collapse_key":"x"}"#),
        .good(#""android":{"ttl":"0s"}"#), .good(#""android":{"ttl":"3.5s"}"#), .good(#""android":{"ttl":"2419200s"}"#),
        .fcm(#""android":{"ttl":"2419200.1s"}"#, "message.android.ttl", "Invalid ttl"),
        .fcm(#""android":{"ttl":"-1s"}"#, "message.android.ttl", "Invalid ttl"),
        .type(#""android":{"ttl":"3600"}"#, "message.android.ttl", "duration must end with 's'"),
        .type(#""android":{"ttl":3600}"#, "message.android.ttl", "duration must end with 's'"),
        .good(#""android":{"priority":"high"}"#), .good(#""android":{"priority":"NORMAL"}"#),
        .good(#""android":{"priority":1}"#),
        .type(#""android":{"priority":2}"#, "message.android.priority", "Priority), 2"),
        .type(
            #""android":{"priority":"URGENT"}"#, "message.android.priority",
            #"(type.googleapis.com/google.firebase.fcm.v1.AndroidMessagePriority), \"URGENT\""#),
        .good(#""android":{"notification":{"notification_count":2,"vibrate_timings":["1s","0.5s"],"sticky":true}}"#),
        .good(#""android":{"notification":{"notification_count":2.0}}"#),
        .good(#""android":{"notification":{"notification_count":"2"}}"#),
        .good(#""android":{"notification":{"notification_count":20e-1,"notification_priority":1.0}}"#),
        .type(
            #""android":{"notification":{"notification_count":2.5}}"#,
            "message.android.notification.notification_count", "INT32"),
        .type(
            #""android":{"notification":{"notification_count":2147483648}}"#,
            "message.android.notification.notification_count", "INT32"),
        .type(
            #""android":{"notification":{"notification_count":"0x1"}}"#,
            "message.android.notification.notification_count", "INT32"),
        .good(#""android":{"notification":{"light_settings":{"color":{"red":"0.5","blue":1,"green":"NaN"}}}}"#),
        .good(#""android_v2":{"ttl":"60s","remote_notification":{"notification":{"id":7,"title":"t"}}}"#),
        .good(#""androidV2":{"backgroundSync":{}},"android":null"#),
        .fcm(#""android":{},"android_v2":{}"#, "message", "Only one of"),
        .fcm(#""android_v2":{"ttl":"-1s"}"#, "message.android_v2.ttl", "Invalid ttl"),
        .type(#""android_v2":{"priority":"HIGH"}"#, "message.android_v2", "Unknown name"),
        .type(
            #""android":{"notification":{"notification_count":"two"}}"#,
            "message.android.notification.notification_count", "INT32"),
        .type(
            #""android":{"notification":{"vibrateTimings":["1s","2"]}}"#,
            "message.android.notification.vibrate_timings[1]", "duration"),
        .good(#""android":{"notification":{"light_settings":{"color":{"red":0.5},"light_on_duration":"1s"}}}"#),
        .good(
            #""apns":{"headers":{"apns-priority":"5"},"payload":{"aps":{"alert":"x","badge":1}},"fcm_options":{"image":"i"}}"#
        ),
        .type(#""apns":{"headers":{"apns-priority":5}}"#, "message.apns.headers[0].value", "TYPE_STRING"),
        .type(#""apns":{"payload":"x"}"#, "message.apns.payload", "Struct"),
        .good(
            #""webpush":{"headers":{"TTL":"60"},"notification":{"any":["thing"]},"fcm_options":{"link":"https://x"}}"#),
        .fcm(#""webpush":{"fcm_options":{"link":"http://x"}}"#, "message.webpush.fcm_options.link", "HTTPS"),
        .good(#""data":{"n":"\#(letters(4_095))"}"#), .fcm(#""data":{"n":"\#(letters(4_096))"}"#, "message", "too big"),
        .good(#""data":{"n":"\#(letters(4_000))"},"android":{"data":{"m":"\#(letters(94))"}}"#),
        .fcm(
            #""data":{"n":"\#(letters(4_000))"},"android":{"data":{"m":"\#(letters(95))"}}"#, "message",
            "4097 bytes for android"),
        .good(#""apns":{"payload":{"n":"\#(letters(4_095))"}},"android":{"data":{"n":"\#(letters(4_095))"}}"#),
        .fcm(#""data":{"n":"\#(letters(70_000))"}"#, "message", "too big"),
    ]

    static let topics: [Row] = [
        .good(#"{"message":{"topic":"news","data":{"n":"\#(letters(2_047))"}}}"#),
        .fcm(#"{"message":{"topic":"news","data":{"n":"\#(letters(2_048))"}}}"#, "message", "2049 bytes"),
    ]

    @Test func checksMessagesAsFCMDoes() async throws {
        try await FCMSession.run { session async throws in
            for row in Self.wholes + Self.targets + Self.fields + Self.topics {
                let body = row.text.first == "\"" ? nil : row.text
                let answer = try await session.send(row.text, body: body)
                #expect(answer.status == row.status, "\(row): \(answer)")
                guard row.status == 400 else { continue }
                #expect(
                    answer.body.contains(#""code":400"#) && answer.body.contains("INVALID_ARGUMENT"),
                    "\(row): \(answer)")
                #expect(answer.body.contains(row.says), "\(row): \(answer)")
                #expect(answer.body.contains("google.firebase.fcm.v1.FcmError") == row.isOfFCM, "\(row): \(answer)")
                let field = try #require(
                    answer.body.firstMatch(of: /"fieldViolations":\[{"field":"([^"]*)"/), "\(row): \(answer)")
                #expect(String(field.1) == row.field, "\(row)")
            }
        }
    }

    @Test func namesAcceptedMessages() async throws {
        try await FCMSession.run { session async throws in
            let answer = try await session.send()
            let body = answer.body
            #expect(
                body.wholeMatch(of: /{"name":"projects\/shop-1\/messages\/0:\d{16}%[0-9a-f]{32}"}/) != nil, "\(answer)")
            #expect(answer.fields["content-type"] == "application/json; charset=UTF-8")
            let topic = try await session.send(body: #"{"message":{"topic":"news"}}"#)
            #expect(topic.body.wholeMatch(of: /{"name":"projects\/shop-1\/messages\/\d+"}/) != nil, "\(topic)")
            session.simulator.isRecording = true
            let dry = try await session.send(body: #"{"validate_only":true,"message":{"token":"\#(Self.token)"}}"#)
            #expect(dry.body.contains("fake_message_id"))
            #expect(
                session.simulator.recordedArrivals == [Self.token: 1] && session.simulator.recordedAcceptances == [:])
            for target in [#""topic":"news""#, #""fid":"e_-45678901234567890ab""#] {
                #expect(try await session.send(body: Self.to(target)).status == 200)
            }
            #expect(session.simulator.recordedAcceptances == ["news": 1, "e_-45678901234567890ab": 1])
        }
    }

    @Test func checksMethodPathAndContentType() async throws {
        try await FCMSession.run { session async throws in
            let path = "/v1/projects/shop-1/messages:send"
            let bearer = ("authorization", "Bearer \(session.bearer)")
            let body = Array(#"{"message":{"token":"\#(Self.token)"}}"#.utf8)
            let rows: [(method: String, path: String, type: String?, status: Int, html: Bool)] = [
                ("POST", path, "application/json", 200, false),
                ("POST", path, "Application/JSON; charset=UTF-8", 200, false),
                ("POST", path, "text/plain", 400, false), ("POST", path, nil, 400, false),
                ("GET", path, "application/json", 405, true), ("PUT", path, "application/json", 405, true),
                ("POST", path + "?alt=json", "application/json", 200, false),
                ("POST", path + "?alt=json&prettyPrint=false", "application/json", 200, false),
                ("POST", path + "?%24alt=json%3Benum-encoding%3Dint&fields=name", "application/json", 200, false),
                ("POST", path + "?$.xgafv=2&key=k&quotaUser=a+b&", "application/json", 200, false),
                ("POST", path + "?", "application/json", 200, false),
                ("POST", path + "?x=1", "application/json", 400, false),
                ("POST", path + "?alt=proto", "application/json", 400, false),
                ("POST", path + "?validate_only=true", "application/json", 400, false),
                ("POST", "/", "application/json", 404, true),
                ("POST", "/v1/projects/shop-1/messages", "application/json", 404, true),
                ("POST", "/v1/projects/a/b/messages:send", "application/json", 404, true),
                ("POST", "/fcm/send", "application/json", 404, true), ("POST", "/batch", "application/json", 404, true),
            ]
            for row in rows {
                let fields = [bearer] + (row.type.map { [("content-type", $0)] } ?? [])
                let answer = try await session.client.push(
                    method: row.method, path: row.path, fields: fields, payload: body)
                #expect(answer.status == row.status, "\(row): \(answer)")
                #expect((answer.fields["content-type"] == "text/html; charset=UTF-8") == row.html, "\(row): \(answer)")
            }
            let missing = try await session.client.push(path: path, fields: [], payload: body)
            #expect(missing.status == 401 && missing.body.contains("missing required authentication credential"))
        }
    }
}
