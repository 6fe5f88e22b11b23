import OutcomeLedger
import PushModel
import Store
import Testing

@Suite struct LedgerEventTests {
    private func rows(_ json: String, forms: [String: RecipientForm] = [:]) throws -> [LedgerRow] {
        try LedgerEvent.rows(of: Array(json.utf8), forms: forms)
    }

    private func event(_ outcome: String, kind: String = "rejected") -> String {
        #"{"kind":"\#(kind)","output":"push","app":"com.example.shop","environment":"production","worker":"w","outcomes":[\#(outcome)]}"#
    }

    @Test func storesAllFieldsOfOutcome() throws {
        let reported = event(
            #"{"job":"order-1","recipient":"AB","ref":"user-17","status":400,"reason":"BadX","detail":"words","by":"push","push_unique_id":"x","push_id":"id-1","attempts":3,"redelivered":true,"at":"2026-11-20T10:00:00.123Z"}"#
        )
        var row = LedgerRow(at: Timestamp(milliseconds: 1_795_168_800_123), kind: "rejected", job: "order-1")
        row.output = "push"
        row.app = "com.example.shop"
        row.environment = "production"
        row.worker = "w"
        row.ref = "user-17"
        row.recipient = LedgerRow.hash(of: "ab", output: "push")
        row.status = 400
        row.reason = "BadX"
        row.detail = "words"
        row.providerID = "id-1"
        row.attempts = 3
        row.isRedelivered = true
        #expect(try rows(reported, forms: ["push": .hex(maximumDigits: 8)]) == [row], "hash the normalized token")
    }

    @Test func storesRejectedJobAsRow() throws {
        let reported =
            #"{"kind":"job.rejected","job":"order-2","app":"a","worker":"w","errors":[{"field":"priorty","problem":"is not a field"}],"at":"2026-11-20T10:00:00.123Z"}"#
        let row = try #require(try rows(reported).first)
        #expect(row.kind == LedgerKind.rejection && row.recipient == nil)
        #expect(row.reason == "priorty" && row.detail == "is not a field")
    }

    /// Any user who may publish to the exchange can send such a message.
    @Test(arguments: [
        ("", "is not a JSON object"), ("[1]", "is not a JSON object"), ("{}", "has no kind"),
        (#"{"kind":7,"outcomes":[]}"#, "has no kind"), (#"{"kind":"sent"}"#, "has no outcomes"),
        (#"{"kind":"sent","outcomes":[{"job":"a"}]}"#, "outcomes[0] has no job or no time"),
        (#"{"kind":"sent","outcomes":[{"at":"2026-11-20T10:00:00.123Z"}]}"#, "outcomes[0] has no job or no time"),
        (#"{"kind":"job.rejected","at":"yesterday"}"#, "has no time"),
    ])
    func reportsFaultOfInvalidEvent(body: String, problem: String) {
        #expect(throws: LedgerFault.self) { try rows(body) }
        do { _ = try rows(body) } catch { #expect("\(error)" == problem) }
    }

    /// PostgreSQL accepts no NUL in a text, no status above a smallint and no number of attempts above an integer.
    @Test func adaptsValuesToColumnLimits() throws {
        let row = try #require(
            try rows(
                event(
                    #"{"job":"a\u0000b","recipient":"t","ref":"\#(String(repeating: "é", count: 2_000))","status":70000,"attempts":99999999999,"at":"2026-11-20T10:00:00.123Z"}"#
                )
            ).first)
        #expect(row.job == "a\u{FFFD}b" && row.ref?.utf8.count == 1_024)
        #expect(row.status == nil && row.attempts == Int(Int32.max))
    }

    @Test func samplesSentOutcomesOnly() throws {
        func row(_ number: Int, _ kind: String) -> LedgerRow {
            var row = LedgerRow(at: Timestamp(seconds: 0), kind: kind, job: "job")
            row.recipient = LedgerRow.hash(of: "\(number)", output: "push")
            return row
        }
        let sent = (0..<10_000).map { row($0, "sent") }
        let taken = sent.filter(LedgerSampling.sample(0.1).takes)
        #expect((900...1_100).contains(taken.count), "\(taken.count)")
        #expect(taken == sent.filter(LedgerSampling.sample(0.1).takes), "sampling must be repeatable")
        #expect(sent.filter(LedgerSampling.none.takes).isEmpty && sent.allSatisfy(LedgerSampling.all.takes))
        for sampling in [LedgerSampling.none, .sample(0.01)] {
            #expect((0..<100).map { row($0, "failed") }.allSatisfy(sampling.takes))
        }
    }

    @Test(arguments: [
        ("all", LedgerSampling.all), ("none", LedgerSampling.none), ("sample:0.25", .sample(0.25)), ("sample:0", nil),
        ("sample:1.5", nil), ("sample:", nil), ("sample:nan", nil), ("", nil), ("some", nil),
    ])
    func parsesSamplingSetting(text: String, sampling: LedgerSampling?) {
        #expect(LedgerSampling(text) == sampling)
    }
}
