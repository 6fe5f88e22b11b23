import PushModel
import PushTestSupport
import Testing

@Suite struct JobDecoderRecipientTests {
    @Test func readsMixedStringsAndObjects() throws {
        let job = try Job.sample(
            recipients: """
                [ "aa01" , {"token":"bb02"}, {"ref":"user-\\"17\\" ü","registered_at":1795168800.0e0,"token":"x"}]
                """.replacing("1795168800.0e0", with: "1795168800"))
        #expect(job.recipients.map { job.text($0.token) } == ["aa01", "bb02", "x"])
        #expect(job.recipients.map { $0.refJSON.map(job.text) } == [nil, nil, #""user-\"17\" ü""#])
        #expect(job.recipients.map(\.registeredAt) == [nil, nil, Timestamp(seconds: 1_795_168_800)])
        #expect(job.recipients.map { $0.payload.map(job.text) } == [nil, nil, nil])
        #expect(job.recipients.map { job.text($0.addressJSON) } == [#""aa01""#, #""bb02""#, #""x""#])
    }

    @Test func readsPayloadOfRecipient() throws {
        let job = try Job.sample(recipients: #"[{"token":"aa","payload": { "mine" : 1 } },"bb"]"#)
        #expect(job.recipients.map { $0.payload.map(job.text) } == [#"{ "mine" : 1 }"#, nil])
    }

    @Test func keepsEmptyRef() throws {
        let job = try Job.sample(recipients: #"[{"token":"aa","ref":""}]"#)
        #expect(job.recipients.map { $0.refJSON.map(job.text) } == [#""""#])
    }

    @Test func unescapesTokens() throws {
        let recipients = #"["a\/b","plain",{"token":"\u0061\u0062\ud83d\ude00"},"c\\d"]"#
        let job = try Job.sample(recipients: recipients)
        #expect(job.recipients.map { job.text($0.token) } == ["a/b", "plain", "ab😀", #"c\d"#])
        #expect(
            job.recipients.map { job.text($0.addressJSON) }.joined(separator: " ")
                == #""a\/b" "plain" "\u0061\u0062\ud83d\ude00" "c\\d""#)
        #expect(String(decoding: job.body, as: UTF8.self) == Job.sampleText(recipients: recipients))
    }

    @Test func readsAddressesOfEveryKind() throws {
        let subscription =
            #"{"endpoint":"https:\/\/push.example\/1","expirationTime":null,"keys":{"p256dh":"BA","auth":"aa"}}"#
        let job = try Job.sample(
            recipients: #"""
                ["aa", {"fid":"c1"}, {"topic":"news"}, {"condition":"'a' in topics"}, {"subscription": \#(subscription) }]
                """#)
        #expect(job.recipients.map(\.kind) == [.token, .installation, .topic, .condition, .subscription])
        #expect(
            job.recipients.map { job.text($0.token) } == [
                "aa", "c1", "news", "'a' in topics", "https://push.example/1",
            ])
        #expect(job.text(job.recipients[4].addressJSON) == subscription)
        var text: [UInt8] = []
        job.recipients[4].appendText(of: job, to: &text)
        #expect(String(decoding: text, as: UTF8.self) == #""https://push.example/1""#)
    }

    @Test func readsRegisteredAtInBothForms() throws {
        let job = try Job.sample(
            recipients: #"[{"token":"a","registered_at":"2026-11-20T10:00:00.250Z"},{"token":"b","registered_at":0}]"#)
        #expect(job.recipients.map { $0.registeredAt?.milliseconds } == [1_795_168_800_250, 0])
    }

    @Test(arguments: [
        ("[7]", ["recipients[0]: must be a device token or an object with one"]),
        (#"["aa",null]"#, ["recipients[1]: must be a device token or an object with one"]),
        (#"[""]"#, ["recipients[0]: has an empty device token"]),
        (#"[{"token":""}]"#, ["recipients[0]: has an empty device token"]),
        ("[{}]", ["recipients[0].token: is required"]),
        (#"["a",{"ref":"x"}]"#, ["recipients[1].token: is required"]),
        (#"[{"token":5}]"#, ["recipients[0].token: must be a string"]),
        (#"[{"token":"a","ref":7}]"#, ["recipients[0].ref: must be a string"]),
        (#"[{"token":"a","payload":7}]"#, ["recipients[0].payload: must be an object"]),
        (#"[{"token":"a","fid":"b"}]"#, ["recipients[0].fid: cannot be combined with token"]),
        (#"[{"topic":"a","condition":"b"}]"#, ["recipients[0].condition: cannot be combined with topic"]),
        (
            #"[{"channel":"a"}]"#,
            ["recipients[0].channel: is not a field of a recipient", "recipients[0].token: is required"]
        ),
        (#"[{"fid":""}]"#, ["recipients[0]: has an empty fid"]),
        (#"[{"subscription":"https://push.example/1"}]"#, ["recipients[0].subscription: must be an object"]),
        (#"[{"subscription":{}}]"#, ["recipients[0].subscription: has no endpoint"]),
        (
            #"[{"subscription":{"endpoint":null}}]"#,
            ["recipients[0].subscription: has an endpoint that must be a string"]
        ),
        (#"[{"subscription":{"endpoint":""}}]"#, ["recipients[0]: has an empty subscription"]),
        (
            #"[{"subscription":{"endpoint":"a","endpoint":"b"}}]"#,
            ["recipients[0].subscription: has two endpoints"]
        ),
        (
            #"[{"subscription":{"endpoint":"a","x":"\#(String(repeating: "x", count: 8_200))"}}]"#,
            ["recipients[0].subscription: is longer than 8192 bytes"]
        ),
        (#"[{"token":"a","tokn":"b"}]"#, ["recipients[0].tokn: is not a field of a recipient"]),
        (#"[{"token":"a","token":"b"}]"#, ["recipients[0].token: is given twice"]),
        (#"[{"token":"a","ref":"x","ref":"y"}]"#, ["recipients[0].ref: is given twice"]),
        (#"[{"token":"a","payload":{},"payload":{}}]"#, ["recipients[0].payload: is given twice"]),
        (#"[{"token":"a","registered_at":1,"registered_at":2}]"#, ["recipients[0].registered_at: is given twice"]),
        (
            #"[{"token":"a","registered_at":1795168800123}]"#,
            [
                "recipients[0].registered_at: must be unix seconds or an RFC 3339 date-time; "
                    + "1795168800123 is out of range (is it in milliseconds?)"
            ]
        ),
        (
            #"[{"token":"a","registered_at":"yesterday"}]"#,
            ["recipients[0].registered_at: must be unix seconds or an RFC 3339 date-time"]
        ),
        (
            #"[{"token":"a"},{"x":1},false]"#,
            [
                "recipients[1].x: is not a field of a recipient", "recipients[1].token: is required",
                "recipients[2]: must be a device token or an object with one",
            ]
        ),
    ])
    func rejectsInvalidRecipients(recipients: String, faults: [String]) throws {
        let error = try #require(throws: JobRejection.self) { try Job.sample(recipients: recipients) }
        #expect(error.faults.map { "\($0.field): \($0.problem)" } == faults)
    }

    @Test func keepsOrderOf10000Recipients() throws {
        let tokens = (0..<10_000).map { String($0, radix: 16) }
        let job = try Job.sample(recipients: "[\(tokens.map { "\"\($0)\"" }.joined(separator: ","))]")
        #expect(job.recipients.map { job.text($0.token) } == tokens)
    }
}
