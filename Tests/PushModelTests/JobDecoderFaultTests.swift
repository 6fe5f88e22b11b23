import PushModel
import PushTestSupport
import Testing

@Suite struct JobDecoderFaultTests {
    private func faults(_ body: some Sequence<UInt8>) -> [String] {
        do {
            _ = try JobDecoder.decode(Array(body)) { "made-up" }
            return []
        } catch {
            return error.faults.map { "\($0.field): \($0.problem)" }
        }
    }

    @Test func reportsUnknownFields() {
        #expect(faults(Job.sampleText([#""colapse_id":"x""#]).utf8) == ["colapse_id: is not a field of a job"])
        #expect(faults(Job.sampleText([#""p\u0072io":{"a":[1]}"#]).utf8) == ["prio: is not a field of a job"])
    }

    /// A token in place of a field name is reported to the publisher, but must not appear in the log.
    @Test func shortensUnknownFieldNamesInLog() throws {
        let token = "c2732227a1d8021cfaf781d71fb2f908c61f5861079a00954a5453f1d0281433"
        func rejection(_ recipient: String) throws -> JobRejection {
            try #require(throws: JobRejection.self) {
                try JobDecoder.decode(Array(#"{"app":"a","payload":{},"recipients":[\#(recipient)]}"#.utf8)) {
                    "made-up"
                }
            }
        }
        let reported = try rejection(#"{"\#(token)":"user-17"}"#)
        #expect(reported.description.contains(token))
        #expect(
            !reported.logged.contains(token.prefix(12))
                && reported.logged.contains("recipients[0].c2732227…: is not a field"))
        #expect(try rejection(#"{"a.\#(token)":1}"#).logged.contains("recipients[0].a.c27322…: is not a field"))
        #expect(try rejection(#"{"token":7}"#).logged == rejection(#"{"token":7}"#).description)
    }

    @Test func readsEscapedFieldNames() throws {
        #expect(try Job.sample(#""top\u0069c":"t""#).topic == "t")
    }

    @Test func rejectsRepeatedFields() {
        #expect(faults(Job.sampleText([#""trim":true,"trim":true"#]).utf8) == ["trim: is given twice"])
        #expect(faults(Job.sampleText([#""recipients":["ff"]"#]).utf8) == ["recipients: is given twice"])
    }

    @Test func reportsAllFaultsAtOnce() throws {
        let error = try #require(throws: JobRejection.self) {
            try Job.read(#"{"id":"j-1","app":"shop","priority":3,"recipients":[],"foo":1,"trim":0}"#)
        }
        #expect(
            error.description
                == "priority: must be 1, 5 or 10; recipients: must not be empty; foo: is not a field of a job; "
                + "trim: must be true or false; payload: is required")
        #expect(error.jobID == "j-1")
        #expect(error.app == "shop")
    }

    @Test func reportsAtMost20Faults() {
        let bad = Array(repeating: "1", count: 1000).joined(separator: ",")
        let found = faults(Job.sampleText(recipients: "[\(bad)]").utf8)
        #expect(found.count == 20)
        #expect(found.last == "recipients[19]: must be a device token or an object with one")
    }

    @Test(arguments: [
        ("", "is not a JSON object"), ("[]", "is not a JSON object"), ("null", "is not a JSON object"),
        ("not json", "is not a JSON object"), ("{", "is not valid JSON: unexpected end at byte 1"),
        (#"{"app":"a",}"#, "is not valid JSON: expected a string at byte 11"),
        (#"{"app":'a'}"#, "is not valid JSON: expected a value at byte 7"),
        (#"{"payload":{"a":01}}"#, "is not valid JSON: expected ',' or the closing bracket at byte 17"),
        (#"{"recipients":["aa" "bb"]}"#, "is not valid JSON: expected ',' or the closing bracket at byte 20"),
    ])
    func reportsByteOfJSONError(body: String, problem: String) {
        #expect(faults(body.utf8) == ["body: \(problem)"])
    }

    @Test func rejectsTextAfterJob() {
        let text = Job.sampleText()
        #expect(
            faults("\(text) {}".utf8) == [
                "body: is not valid JSON: text after the end of the value at byte \(text.utf8.count + 1)"
            ])
        #expect(faults(" \n\(text)\n ".utf8) == [])
    }

    @Test func rejectsEveryTruncation() {
        let text = Array(
            Job.sampleText(
                recipients: #"["a\/b",{"token":"c","ref":"r","registered_at":5,"payload":{"x":"\u00e9"}}]"#,
                [#""expires_at":"2026-11-20T10:00:00Z","priority":10,"trim":false,"results":"all""#]
            ).utf8)
        #expect(faults(text) == [])
        for length in text.indices {
            #expect(!faults(text.prefix(length)).isEmpty, "\(length) bytes were accepted")
        }
    }

    @Test(arguments: [[0xFF], [0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]])
    func rejectsInvalidUTF8(bytes: [UInt8]) {
        let body = Array(#"{"app":"shop","recipients":["aa"],"payload":{"a":""#.utf8) + bytes + Array(#""}}"#.utf8)
        #expect(faults(body) == ["body: is not valid UTF-8"])
    }

    // MARK: Hostile jobs

    @Test func limitsLengthOfRejections() throws {
        let long = String(repeating: "é", count: 1_000_000)
        let body = #"{"id":"\#(long)","app":"\#(long)","output":"\#(long)","\#(long)":1,"environment":"\#(long)"}"#
        let error = try #require(throws: JobRejection.self) { try Job.read(body) }
        #expect(error.jobID?.utf8.count ?? 0 <= 255)
        #expect(error.app?.utf8.count ?? 0 <= 200)
        #expect(error.faults.map(\.problem).contains("is longer than 200 bytes"))
        for fault in error.faults { #expect(fault.field.utf8.count <= 100 && fault.problem.utf8.count <= 500) }
        #expect(error.faults[3].field.hasSuffix("é…"))
        let many = (0..<20).map { #""\#($0)\#(long)":1"# }
        let worst = try #require(throws: JobRejection.self) { try Job.read(Job.sampleText(many)) }
        #expect(worst.faults.count == 20)
        #expect((1_990...2_000).contains(worst.description.utf8.count))
    }

    @Test func rejectsFieldWithEmptyName() {
        #expect(faults(Job.sampleText([#""":1"#]).utf8) == [#""": is not a field of a job"#])
    }

    @Test(arguments: [
        ("id", #""\ud800""#), ("app", #""com.example.\udbff""#), ("output", #""\udc00\ud800""#),
        ("topic", #""\ud83dx""#), ("collapse_id", #""\ud83d\n""#), ("push_type", #""\ud83d\ud83d\ude00""#),
        ("payload", #""\ud800""#),
    ])
    func rejectsUnpairedSurrogatesInFields(field: String, json: String) {
        let text = Job.sampleText([#""\#(field)":\#(json)"#])
        #expect(faults(text.utf8).contains("\(field): has an unpaired surrogate, which is not valid Unicode"))
        #expect(
            faults(text.replacing(json, with: #""\ud83d\ude00 \u0041""#).utf8).allSatisfy { !$0.contains("Unicode") })
    }

    @Test(arguments: [
        (#"["\ud800"]"#, "recipients[0]"), (#"[{"token":"\ud800"}]"#, "recipients[0].token"),
        (#"["aa",{"token":"bb","ref":"\udbff"}]"#, "recipients[1].ref"),
        (#"[{"token":"aa","payload":"\ud83dx"}]"#, "recipients[0].payload"),
    ])
    func rejectsUnpairedSurrogatesInRecipients(recipients: String, field: String) {
        #expect(
            faults(Job.sampleText(recipients: recipients).utf8)
                == ["\(field): has an unpaired surrogate, which is not valid Unicode"])
    }

    @Test(arguments: [("ref", 1_024), ("token", 4_096)])
    func limitsLengthOfRefAndToken(field: String, limit: Int) throws {
        func recipients(_ length: Int) -> String {
            let text = String(repeating: "x", count: length)
            return field == "ref" ? #"[{"token":"aa","ref":"\#(text)"}]"# : #"[{"token":"\#(text)"}]"#
        }
        #expect(faults(Job.sampleText(recipients: recipients(limit)).utf8) == [])
        #expect(
            faults(Job.sampleText(recipients: recipients(limit + 1)).utf8)
                == ["recipients[0].\(field): is longer than \(limit) bytes"])
    }

    @Test(
        arguments: [
            (#"{"id":"j","app":"a"}"#, "m", "j", "a"), (#"{"app":""}"#, "m", "m", nil), ("{", nil, nil, nil),
            (#"{"id":5,"app":5}"#, nil, nil, nil), (#"{"id":"j","app":"a",,"#, nil, "j", "a"),
        ] as [(String, String?, String?, String?)])
    func reportsReadableIDAndApp(body: String, messageID: String?, jobID: String?, app: String?) throws {
        let error = try #require(throws: JobRejection.self) { try Job.read(body, messageID: messageID) }
        #expect(error.jobID == jobID)
        #expect(error.app == app)
    }
}
