import PushModel
import Testing
import WebhookOutput

@Suite struct BatchAnswerTests {
    private func read(_ text: String, recipients: Int = 2) -> [ReportedOutcome?]? {
        BatchAnswer(Array(text.utf8), recipients: recipients)?.outcomes
    }

    private func read(outcomes: String) -> [ReportedOutcome?]? { read(#"{"outcomes":[\#(outcomes)]}"#) }

    @Test(arguments: [
        (#"{"i":0,"kind":"sent","id":"m-1"}"#, ReportedOutcome(.sent, id: "m-1")),
        (#"{"kind":"sent","i":0}"#, ReportedOutcome(.sent)),
        (#"{"i":0,"kind":"unregistered","reason":"left \u0041"}"#, ReportedOutcome(.unregistered, reason: "left A")),
        (#"{"i":0,"kind":"rejected","more":[{}]}"#, ReportedOutcome(.rejected)),
        (#"{"i":0,"kind":"failed","reason":""}"#, ReportedOutcome(.failed)),
        (#"{"i":0,"kind":"retry","retry_after":30}"#, ReportedOutcome(.retry, retryAfterSeconds: 30)),
        (#"{"i":0,"kind":"retry","retry_after":1.2}"#, ReportedOutcome(.retry, retryAfterSeconds: 2)),
        (#"{"i":0,"kind":"retry","retry_after":-1}"#, ReportedOutcome(.retry)),
        (#"{"i":0,"kind":"retry","retry_after":1e99}"#, ReportedOutcome(.retry, retryAfterSeconds: 86_400)),
        (#"{"i":0,"kind":"retry","retry_after":"30"}"#, ReportedOutcome(.retry)),
        (#"{"i":0.0,"kind":"sent"}"#, ReportedOutcome(.sent)), (#"{"i":-0,"kind":"sent"}"#, ReportedOutcome(.sent)),
        (#"{"i":0e0,"kind":"sent"}"#, ReportedOutcome(.sent)), (#"{"i":1e99,"kind":"sent"}"#, nil),
        (#"{"i":0,"kind":"unknown"}"#, ReportedOutcome(.unknown)),
        (#"{"i":0,"kind":"delivered"}"#, ReportedOutcome(.failed)),
        (#"{"i":0,"kind":"suppressed"}"#, ReportedOutcome(.failed)),
        (#"{"i":0,"kind":"Sent"}"#, ReportedOutcome(.failed)),
        (#"{"i":0,"kind":"sent"},{"i":0,"kind":"unregistered"}"#, ReportedOutcome(.sent)),
        (#"{"i":1,"kind":"sent"}"#, nil), (#"{"i":2,"kind":"sent"}"#, nil), (#"{"i":-1,"kind":"sent"}"#, nil),
        (#"{"i":0.5,"kind":"sent"}"#, nil), (#"{"i":"0","kind":"sent"}"#, nil), (#"{"kind":"sent"}"#, nil),
        (#"{"i":0}"#, nil), (#"{"i":0,"i":0,"kind":"sent"}"#, nil), (#"{"i":0,"kind":"sent","kind":"sent"}"#, nil),
        (#"{"i":0,"kind":1}"#, nil), ("0", nil), ("null", nil), ("", nil),
    ])
    func readsOutcomeOfFirstRecipient(outcome: String, reported: ReportedOutcome?) throws {
        let outcomes = try #require(read(outcomes: outcome))
        #expect(outcomes.count == 2)
        #expect(outcomes[0] == reported)
    }

    @Test(arguments: [
        "", "{}", "[]", "null", #"{"outcomes":{}}"#, #"{"outcomes":null}"#, #"{"outcomes":["#, #"{"outcomes":[]} more"#,
        "<html>", #"{"outcomes":[],"outcomes":[]}"#, #"{"outcomes":[{"i":0,"kind":"sent"}"#,
        "{\"outcomes\":[],\"x\":\"\u{1}\"}",
    ])
    func rejectsInvalidAnswers(text: String) { #expect(read(text) == nil) }

    @Test func rejectsAnswerWithInvalidUTF8() {
        #expect(BatchAnswer(Array(#"{"outcomes":[],"x":""#.utf8) + [0xff] + Array(#""}"#.utf8), recipients: 0) == nil)
    }

    @Test(arguments: [(100, 100), (101, 100)]) func truncatesLongReason(bytes: Int, to: Int) throws {
        let text = String(repeating: "r", count: bytes)
        let outcomes = read(outcomes: #"{"i":0,"kind":"failed","reason":"\#(text)"}"#)
        #expect(outcomes?[0]?.reason?.utf8.count == to)
    }

    @Test(arguments: [
        (200, false, AnswerClass.reported), (201, false, .unreported), (202, false, .unreported),
        (204, false, .unreported),
        (299, false, .unreported), (300, false, .doubtful), (301, false, .doubtful), (302, false, .doubtful),
        (307, false, .doubtful), (308, false, .doubtful), (400, false, .refused), (401, false, .doubtful),
        (403, false, .doubtful), (404, false, .doubtful), (405, false, .refused), (408, false, .broken),
        (421, false, .busy),
        (410, false, .doubtful), (409, false, .refused), (413, false, .refused), (422, false, .refused),
        (425, false, .busy),
        (429, false, .busy), (429, true, .busy), (499, false, .refused), (500, false, .broken), (500, true, .broken),
        (502, false, .broken), (503, false, .broken), (503, true, .busy), (504, true, .broken), (599, false, .broken),
        (600, false, .broken), (101, false, .broken),
    ])
    func classifiesStatusOfBatch(status: Int, hasRetryAfter: Bool, meaning: AnswerClass) {
        #expect(AnswerClass(status: status, hasRetryAfter: hasRetryAfter) == meaning)
    }
}
