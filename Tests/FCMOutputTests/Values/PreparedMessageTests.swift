import FCMOutput
import HTTP2Session
import PushModel
import PushTestSupport
import Testing

/// The request bodies of a job: the target, followed by the payload byte for byte.
@Suite struct PreparedMessageTests {
    private static let now = Timestamp(seconds: 1_795_168_800)

    /// Returns the body for each recipient, or the text of its fault.
    private func bodies(
        _ payload: String, recipients: String = #"["t:1"]"#, at now: Timestamp = now, _ members: String...
    ) throws -> [String] {
        let text =
            #"{"app":"com.example.shop","output":"fcm","recipients":\#(recipients),"payload":\#(payload)"#
            + members.map { "," + $0 }.joined() + "}"
        let job = try Job.read(text)
        let message: PreparedMessage
        do throws(FCMFault) {
            message = try PreparedMessage(RoutedJob(job), sink: OutcomeRecorder(), now: Self.now)
        } catch {
            return ["\(error.reason): \(error.detail)"]
        }
        return job.recipients.map { recipient in
            do throws(FCMFault) {
                return try message.body(for: recipient, now: now).withUnsafeBytes {
                    String(decoding: $0, as: UTF8.self)
                }
            } catch {
                return "\(error.reason): \(error.detail)"
            }
        }
    }

    @Test(arguments: [
        (#"["t:1"]"#, #""token":"t:1""#), (#"[{"fid":"cabc"}]"#, #""fid":"cabc""#),
        (#"[{"topic":"news"}]"#, #""topic":"news""#),
        (
            #"[{"condition":"'a' in topics \u0026\u0026 'b' in topics"}]"#,
            #""condition":"'a' in topics \u0026\u0026 'b' in topics""#
        ),
        (#"["a\/b\"\\"]"#, #""token":"a\/b\"\\""#),
    ])
    func writesTargetBeforePayload(recipients: String, target: String) throws {
        let payload = #"{ "notification" : {"title":"ü\n"}, "data":{"a":"1"} }"#
        #expect(
            try bodies(payload, recipients: recipients) == [#"{"message":{\#(target), "# + payload.dropFirst(2) + "}"])
    }

    @Test(arguments: ["{}", "{ }", "{\n\t }"])
    func omitsCommaForEmptyPayload(payload: String) throws {
        #expect(try bodies(payload) == [#"{"message":{"token":"t:1""# + payload.dropFirst().dropLast() + "}}"])
    }

    @Test func writesValidateOnlyForDryRun() throws {
        #expect(
            try bodies(#"{"data":{}}"#, #""validate_only":true"#)
                == [#"{"validate_only":true,"message":{"token":"t:1","data":{}}}"#])
    }

    @Test func usesPayloadOfRecipient() throws {
        let recipients = #"[{"token":"a","payload":{"data":{"x":"y"}}},"b",{"token":"c","payload":{"data":{"x":1}}}]"#
        #expect(
            try bodies("{}", recipients: recipients) == [
                #"{"message":{"token":"a","data":{"x":"y"}}}"#, #"{"message":{"token":"b"}}"#,
                "INVALID_ARGUMENT: message.data.x must be a string",
            ])
    }

    // MARK: Fields of the job

    @Test(arguments: [
        (#""priority":10"#, #"{"priority":"HIGH"}"#, #"{"apns-priority":"10"}"#, #"{"Urgency":"high"}"#),
        (#""priority":5"#, #"{"priority":"NORMAL"}"#, #"{"apns-priority":"5"}"#, #"{"Urgency":"normal"}"#),
        (#""priority":1"#, #"{"priority":"NORMAL"}"#, #"{"apns-priority":"1"}"#, #"{"Urgency":"low"}"#),
        (#""expires_at":0"#, #"{"ttl":"0s"}"#, #"{"apns-expiration":"0"}"#, #"{"TTL":"0"}"#),
        (#""expires_at":1795168860"#, #"{"ttl":"60s"}"#, #"{"apns-expiration":"1795168860"}"#, #"{"TTL":"60"}"#),
        (
            #""expires_at":1799999999"#, #"{"ttl":"2419200s"}"#, #"{"apns-expiration":"1799999999"}"#,
            #"{"TTL":"2419200"}"#
        ),
        (
            #""collapse_id":"scores"#, #"{"collapse_key":"scores"}"#, #"{"apns-collapse-id":"scores"}"#,
            #"{"Topic":"scores"}"#
        ),
    ])
    func fillsMissingOptionsFromJobFields(member: String, android: String, apns: String, webpush: String) throws {
        let member = member.hasSuffix("scores") ? member + "\"" : member
        let wished = #""android":\#(android),"apns":{"headers":\#(apns)},"webpush":{"headers":\#(webpush)}"#
        #expect(try bodies("{}", member) == [#"{"message":{"token":"t:1",\#(wished)}}"#])
        #expect(
            try bodies(#"{"data":{"a":"b"}}"#, member) == [#"{"message":{"token":"t:1","data":{"a":"b"},\#(wished)}}"#])
        // Options in the payload are kept and take precedence.
        let partly = #"{"android":{},"apns":{"payload":{"aps":{}}},"webpush":{"headers":{"X":"y"}}}"#
        #expect(
            try bodies(partly, member) == [
                #"{"message":{"token":"t:1","android":\#(android),"apns":{"headers":\#(apns),"payload":{"aps":{}}},"#
                    + #""webpush":{"headers":{\#(webpush.dropFirst().dropLast()),"X":"y"}}}}"#
            ])
        let whole =
            #"{"android":\#(android),"apns":{"headers":\#(apns)},"webpush":{"headers":\#(webpush.lowercased())}}"#
        #expect(try bodies(whole, member) == [#"{"message":{"token":"t:1","# + whole.dropFirst() + "}"])
    }

    @Test func keepsCamelCaseMemberOfPayload() throws {
        let body = try bodies(#"{"android":{"collapseKey":"mine"}}"#, #""collapse_id":"theirs""#)[0]
        #expect(body.contains(#""android":{"collapseKey":"mine"}"#), "\(body)")
    }

    @Test func hashesCollapseIDThatIsInvalidAsTopic() throws {
        let body = try bodies("{}", #""collapse_id":"Spielstand ü""#)[0]
        let topic = body.split(separator: #""Topic":""#)[1].prefix { $0 != "\"" }
        #expect(
            topic.count == 32 && topic.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
        #expect(body.contains(#""collapse_key":"Spielstand ü""#))
    }

    @Test func computesTTLAtTimeOfSending() throws {
        let later = Timestamp(seconds: Self.now.seconds + 59)
        let body = try bodies("{}", at: later, #""expires_at":1795168860"#)[0]
        #expect(body.contains(#""ttl":"1s""#) && body.contains(#""TTL":"1""#), "\(body)")
    }

    /// In the JSON form of protocol buffers, `null` means that a member is not set.
    @Test(arguments: [
        (#"{"android":null}"#, #"{"android":{A},"apns":{"headers":{P}},"webpush":{"headers":{W}}}"#),
        (
            #"{"android": null ,"apns":null,"webpush":null,"data":null}"#,
            #"{"android": {A} ,"apns":{"headers":{P}},"webpush":{"headers":{W}},"data":null}"#
        ),
        (
            #"{"apns":{"headers":null,"payload":{}},"webpush":{"headers":null}}"#,
            #"{"apns":{"headers":{P},"payload":{}},"webpush":{"headers":{W}},"android":{A}}"#
        ),
        (
            #"{"android":{"ttl":null,"priority":null,"collapse_key":null,"data":null}}"#,
            #"{"android":{"ttl":"60s","priority":"HIGH","collapse_key":"scores","data":null},"apns":{"headers":{P}},"webpush":{"headers":{W}}}"#
        ),
        (
            #"{"android":{"collapseKey":null,"ttl":"5s"}}"#,
            #"{"android":{"priority":"HIGH","collapseKey":"scores","ttl":"5s"},"apns":{"headers":{P}},"webpush":{"headers":{W}}}"#
        ),
        (
            #"{"android":{"collapse_key":null,"collapseKey":"mine","priority":"NORMAL","ttl":null}}"#,
            #"{"android":{"collapse_key":null,"collapseKey":"mine","priority":"NORMAL","ttl":"60s"},"apns":{"headers":{P}},"webpush":{"headers":{W}}}"#
        ),
        (
            #"{"apns":{"headers":{"apns-expiration":null,"apns-priority":null,"APNS-Collapse-Id":null,"x":null}}}"#,
            #"{"apns":{"headers":{"apns-expiration":"1795168860","apns-priority":"10","APNS-Collapse-Id":"scores","x":null}},"android":{A},"webpush":{"headers":{W}}}"#
        ),
        (
            #"{"webpush":{"headers":{"ttl":null,"Urgency":null,"Topic":null}}}"#,
            #"{"webpush":{"headers":{"ttl":"60","Urgency":"high","Topic":"scores"}},"android":{A},"apns":{"headers":{P}}}"#
        ),
        (
            #"{"webpush":{"headers":{"ttl":null}}}"#,
            #"{"webpush":{"headers":{"Urgency":"high","Topic":"scores","ttl":"60"}},"android":{A},"apns":{"headers":{P}}}"#
        ),
    ])
    func treatsNullAsAbsent(payload: String, merged: String) throws {
        let shorthands = [
            "{A}": #"{"ttl":"60s","priority":"HIGH","collapse_key":"scores"}"#,
            "{P}": #"{"apns-expiration":"1795168860","apns-priority":"10","apns-collapse-id":"scores"}"#,
            "{W}": #"{"TTL":"60","Urgency":"high","Topic":"scores"}"#,
        ]
        let expected = shorthands.reduce(merged) { $0.replacing($1.key, with: $1.value) }
        let members = #""expires_at":1795168860,"priority":10,"collapse_id":"scores""#
        #expect(try bodies(payload, members) == [#"{"message":{"token":"t:1","# + expected.dropFirst() + "}"])
        // If the job has no such fields, the payload is sent unchanged.
        #expect(try bodies(payload) == [#"{"message":{"token":"t:1","# + payload.dropFirst() + "}"])
    }

    /// Google refuses a message that has both `android` and `android_v2`.
    @Test(arguments: [
        (#"{"android_v2":{}}"#, #"{"android_v2":{"ttl":"60s","collapse_key":"scores"}}"#),
        (
            #"{"androidV2":{"ttl":"5s","collapseKey":null},"android":null}"#,
            #"{"androidV2":{"ttl":"5s","collapseKey":"scores"},"android":null}"#
        ),
        (
            #"{"android":{"ttl":"5s"},"android_v2":{"ttl":"5s"}}"#,
            #"{"android":{"ttl":"5s"},"android_v2":{"collapse_key":"scores","ttl":"5s"}}"#
        ),
        (
            #"{"android_v2":null}"#,
            #"{"android_v2":null,"android":{"ttl":"60s","priority":"HIGH","collapse_key":"scores"}}"#
        ),
    ])
    func fillsAndroidV2(payload: String, merged: String) throws {
        let members = #""expires_at":1795168860,"priority":10,"collapse_id":"scores""#
        let body = try bodies(payload, members)[0]
        #expect(body.hasPrefix(#"{"message":{"token":"t:1","# + merged.dropFirst().dropLast() + ","), "\(body)")
        #expect(
            body.contains(#""apns":{"headers":{"apns-expiration""#) && body.contains(#""webpush":{"headers":{"TTL""#))
    }

    @Test(arguments: [#"{"android":7,"apns":[],"webpush":"x"}"#, #"{"apns":{"headers":false}}"#])
    func keepsMembersOfWrongType(payload: String) throws {
        let body = try bodies(payload, #""priority":10"#)[0]
        #expect(body.hasPrefix(#"{"message":{"token":"t:1","# + payload.dropFirst().dropLast()), "\(body)")
    }

    // MARK: Messages that Google would refuse

    @Test(arguments: [
        (#"{"token":"x"}"#, "message.token belongs in recipients, not in the payload"),
        (#"{"to\u0070ic":"x"}"#, "message.topic belongs in recipients, not in the payload"),
        (#"{"data":{"n":7}}"#, "message.data.n must be a string"),
        (#"{"data":{"o":{"a":"b"}}}"#, "message.data.o must be a string"),
        (#"{"data":{"from":"x"}}"#, "message.data.from is a reserved key"),
        (#"{"data":{"message_type":"x"}}"#, "message.data.message_type is a reserved key"),
        (#"{"data":{"google.x":"x"}}"#, "message.data.google.x is a reserved key"),
        (#"{"data":{"gcm.notification.x":"x"}}"#, "message.data.gcm.notification.x is a reserved key"),
    ])
    func rejectsInvalidPayloads(payload: String, detail: String) throws {
        #expect(try bodies(payload) == ["INVALID_ARGUMENT: \(detail)"])
    }

    @Test(arguments: [#"{"data":{"gcm":"x","googlex":"y","From":"z"}}"#, #"{"android":{"data":{"n":7}}}"#])
    func leavesOtherChecksToGoogle(payload: String) throws {
        #expect(try bodies(payload)[0].hasPrefix(#"{"message":"#))
    }

    @Test(arguments: [(4_095, 4_096), (2_047, 2_048)])
    func limitsBytesOfData(length: Int, limit: Int) throws {
        let recipients = limit == 4_096 ? #"["t"]"# : #"[{"topic":"t"}]"#
        func payload(_ length: Int) -> String { #"{"data":{"k":"\#(String(repeating: "x", count: length))"}}"# }
        #expect(try bodies(payload(length), recipients: recipients)[0].hasPrefix(#"{"message":"#))
        #expect(
            try bodies(payload(length + 1), recipients: recipients) == [
                "INVALID_ARGUMENT: message has \(limit + 1) bytes of data and notification, more than \(limit)"
            ])
    }

    @Test(arguments: [("news", true), ("a-_.~%9", true), ("/topics/news", false), ("with space", false), ("ü", false)])
    func checksCharactersOfTopic(topic: String, isOne: Bool) throws {
        #expect(try bodies("{}", recipients: #"[{"topic":"\#(topic)"}]"#)[0].hasPrefix("{") == isOne)
    }
}
