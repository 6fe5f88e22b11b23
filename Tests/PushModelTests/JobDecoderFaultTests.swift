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

    @Test func unknownFieldsAreNamed() {
        #expect(faults(Job.sampleText([#""colapse_id":"x""#]).utf8) == ["colapse_id: is not a field of a job"])
        #expect(faults(Job.sampleText([#""p\u0072io":{"a":[1]}"#]).utf8) == ["prio: is not a field of a job"])
    }

    @Test func escapedNamesAreKnown() throws {
        #expect(try Job.sample(#""top\u0069c":"t""#).topic == "t")
    }

    @Test func aFieldGivenTwiceIsRefused() {
        #expect(faults(Job.sampleText([#""trim":true,"trim":true"#]).utf8) == ["trim: is given twice"])
        #expect(faults(Job.sampleText([#""recipients":["ff"]"#]).utf8) == ["recipients: is given twice"])
    }

    @Test func allFaultsAreToldAtOnce() throws {
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

    @Test func faultsEndAtTwenty() {
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
    func brokenJSONNamesTheByte(body: String, problem: String) {
        #expect(faults(body.utf8) == ["body: \(problem)"])
    }

    @Test func textAfterTheJobIsRefused() {
        let text = Job.sampleText()
        #expect(
            faults("\(text) {}".utf8) == [
                "body: is not valid JSON: text after the end of the value at byte \(text.utf8.count + 1)"
            ])
        #expect(faults(" \n\(text)\n ".utf8) == [])
    }

    @Test func everyTruncationIsRefused() {
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
    func whatIsNotUTF8IsRefused(bytes: [UInt8]) {
        let body = Array(#"{"app":"shop","recipients":["aa"],"payload":{"a":""#.utf8) + bytes + Array(#""}}"#.utf8)
        #expect(faults(body) == ["body: is not valid UTF-8"])
    }

    @Test(
        arguments: [
            (#"{"id":"j","app":"a"}"#, "m", "j", "a"), (#"{"app":""}"#, "m", "m", nil), ("{", nil, nil, nil),
            (#"{"id":5,"app":5}"#, nil, nil, nil), (#"{"id":"j","app":"a",,"#, nil, "j", "a"),
        ] as [(String, String?, String?, String?)])
    func tellsWhatItCouldRead(body: String, messageID: String?, jobID: String?, app: String?) throws {
        let error = try #require(throws: JobRejection.self) { try Job.read(body, messageID: messageID) }
        #expect(error.jobID == jobID)
        #expect(error.app == app)
    }
}
