import Foundation
import PushModel
import TestSupport
import Testing

/// Tests that docs/schema/job.schema.json and `JobDecoder` accept the same jobs.
@Suite struct JobSchemaTests {
    private static let recipients = #""recipients":["aa"]"#

    private static func job(_ more: String, recipients: String = recipients) -> String {
        #"{"app":"com.example.shop",\#(recipients),"payload":{}\#(more.isEmpty ? "" : ",")\#(more)}"#
    }

    private static func text(_ length: Int, of character: Character = "x") -> String {
        "\"\(String(repeating: character, count: length))\""
    }

    private static let accepted = [
        job(""), job(#""id":"1""#), job(#""id":"\#(String(repeating: "é", count: 128))""#),
        job(#""output":"discard""#), job(#""environment":"sandbox""#), job(#""push_type":"voip""#),
        job(#""credential":"0B6E1F0C-6a51-4c7e-9d3a-2f1e0d9c8b7a""#),
        job(#""topic":"com.example.shop.voip""#), job(#""topic":"\#(String(repeating: "t", count: 255))""#),
        job(#""push_type":"\#(String(repeating: "p", count: 64))""#), job(#""priority":1"#), job(#""priority":10"#),
        job(#""expires_at":0"#), job(#""expires_at":1800000000"#), job(#""expires_at":"2026-11-20T10:00:00Z""#),
        job(#""expires_at":"2026-11-20t10:00:00.123456+01:30""#),
        job(#""collapse_id":"\#(String(repeating: "c", count: 64))""#),
        job(#""at_most_once":true,"trim":false,"results":"problems""#), job(#""results":"all""#),
        job(#""rate":1"#), job(#""rate":1000000"#),
        job("", recipients: #""recipients":["aa",{"token":"bb"}]"#),
        job("", recipients: #""recipients":[{"token":"aa","ref":"","registered_at":1,"payload":{"aps":{}}}]"#),
        job("", recipients: #""recipients":[{"token":"aa","ref":"r","registered_at":"2026-11-20T10:00:00Z"}]"#),
        job("", recipients: #""recipients":["not hex: the output's to judge"]"#),
        job("", recipients: #""channel":"dHN0LXNyY2gtY2hubA==""#),
        job(
            #""validate_only":true"#,
            recipients: #""recipients":[{"fid":"c1"},{"topic":"t"},{"condition":"c","ref":"r"}]"#),
        job("", recipients: #""recipients":[{"subscription":{"endpoint":"e","keys":{"auth":"x"}},"payload":"x"}]"#),
        #"{"app":"a","recipients":["aa"],"payload":"text"}"#,
        #"{"app":\#(text(200)),"output":\#(text(32)),"recipients":["aa"],"payload":{}}"#,
        job("", recipients: #""recipients":[\#(text(4_096)),{"token":\#(text(4_096)),"ref":\#(text(1_024))}]"#),
        job("", recipients: #""channel":\#(text(4_096))"#),
        job(#""push_type":"liveactivity","priority":5,"expires_at":0"#, recipients: #""channel":"not base64""#),
    ]

    private static let refused = [
        "[]", "null", "3", #""text""#, "{}",
        #"{"recipients":["aa"],"payload":{}}"#, #"{"app":"a","payload":{}}"#, #"{"app":"a","recipients":["aa"]}"#,
        #"{"app":"a","recipients":["aa"],"payload":[]}"#, #"{"app":"a","recipients":["aa"],"payload":null}"#,
        #"{"app":"","recipients":["aa"],"payload":{}}"#, #"{"app":7,"recipients":["aa"],"payload":{}}"#,
        job(#""tokens":[]"#), job(#""ID":"1""#), job(#""id":"""#), job(#""id":7"#),
        job(#""id":"\#(String(repeating: "x", count: 129))""#), job(#""output":"""#),
        job(#""credential":"my-key""#), job(#""credential":"0b6e1f0c-6a51-4c7e-9d3a2-f1e0d9c8b7a""#),
        job(#""credential":7"#),
        job(#""environment":"development""#), job(#""environment":null"#), job(#""push_type":"""#), job(#""topic":"""#),
        job(#""priority":7"#), job(#""priority":"10""#), job(#""expires_at":-1"#), job(#""expires_at":1.5"#),
        job(#""expires_at":1800000000000"#), job(#""expires_at":"tomorrow""#), job(#""expires_at":"2026-11-20""#),
        job(#""expires_at":"2026-11-20T10:00:00""#), job(#""expires_at":null"#),
        job(#""topic":"\#(String(repeating: "t", count: 256))""#),
        job(#""push_type":"\#(String(repeating: "p", count: 65))""#), job(#""collapse_id":"""#),
        job(#""collapse_id":"\#(String(repeating: "c", count: 65))""#),
        job(#""rate":0"#), job(#""rate":1000001"#), job(#""rate":0.5"#), job(#""rate":"1""#), job(#""rate":null"#),
        job(#""at_most_once":1"#), job(#""trim":"true""#), job(#""results":"none""#),
        job("", recipients: #""channel":"""#), job("", recipients: #""channel":["a"]"#),
        job("", recipients: #""channel":null"#), job("", recipients: #""channel":"a","recipients":["aa"]"#),
        job(#""topic":"t""#, recipients: #""channel":"a""#), job(#""collapse_id":"c""#, recipients: #""channel":"a""#),
        job("", recipients: #""recipients":[]"#), job("", recipients: #""recipients":"aa""#),
        job("", recipients: #""recipients":[""]"#), job("", recipients: #""recipients":[7]"#),
        job("", recipients: #""recipients":["aa",{}]"#), job("", recipients: #""recipients":[{"token":""}]"#),
        job("", recipients: #""recipients":[{"token":"aa","name":"x"}]"#),
        job("", recipients: #""recipients":[{"token":"aa","ref":7}]"#),
        job("", recipients: #""recipients":[{"token":"aa","payload":7}]"#), job(#""validate_only":0"#),
        job("", recipients: #""recipients":[{"token":"aa","fid":"bb"}]"#),
        job("", recipients: #""recipients":[{"topic":"aa","condition":"bb"}]"#),
        job("", recipients: #""recipients":[{"fid":""}]"#), job("", recipients: #""recipients":[{"channel":"a"}]"#),
        job("", recipients: #""recipients":[{"subscription":{"keys":{}}}]"#),
        job("", recipients: #""recipients":[{"subscription":"https://push.example/"}]"#),
        #"{"app":\#(text(201)),"recipients":["aa"],"payload":{}}"#, job(#""output":\#(text(33))"#),
        job("", recipients: #""recipients":[\#(text(4_097))]"#), job("", recipients: #""channel":\#(text(4_097))"#),
        job("", recipients: #""recipients":[{"token":\#(text(4_097))}]"#),
        job("", recipients: #""recipients":[{"token":"aa","ref":\#(text(1_025))}]"#),
        job("", recipients: #""recipients":[{"token":"aa","registered_at":"x"}]"#),
    ]

    /// The jobs that only the decoder rejects, because JSON Schema cannot express the rule.
    private static let refusedByTheDecoderAlone = [
        job(#""collapse_id":"\#(String(repeating: "é", count: 33))""#), job(#""priority":10.0"#),
        job(#""topic":"\#(String(repeating: "é", count: 128))""#),
        job(#""trim":true,"trim":true"#), job(#""id":"\ud800""#),
        job("", recipients: #""recipients":[{"token":"aa","ref":\#(text(513, of: "é"))}]"#),
    ]

    @Test func agreesWithDecoder() async throws {
        let samples = Self.accepted + Self.refused + Self.refusedByTheDecoderAlone
        let problems = try await SchemaValidator.problems(in: samples, schema: "job.schema.json")
        for (index, sample) in samples.enumerated() {
            let isAccepted = index < Self.accepted.count
            let isSchemaBlind = index >= Self.accepted.count + Self.refused.count
            #expect(
                (problems[index] == nil) == (isAccepted || isSchemaBlind), "schema: \(sample) \(problems[index] ?? [])")
            #expect((faults(of: sample) == nil) == isAccepted, "decoder: \(sample) \(faults(of: sample) ?? "")")
        }
    }

    private func faults(of sample: String) -> String? {
        do {
            _ = try decodedJob(sample)
            return nil
        } catch {
            return "\(error)"
        }
    }
}
