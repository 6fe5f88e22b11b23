import FCMSimulator
import HTTP2Session
import NIOCore
import SimulatorTestSupport
import TestSupport
import Testing

/// The answers that a token or a control request selects.
@Suite struct AnswerTests {
    struct Row: Sendable {
        let prefix: String
        let status: Int
        let word: String?
        let errorCode: String?
        let says: String
    }

    static let rows: [Row] = [
        Row(
            prefix: "dead0404", status: 404, word: "NOT_FOUND", errorCode: "UNREGISTERED",
            says: "Requested entity was not found."),
        Row(prefix: "dead1404", status: 404, word: "NOT_FOUND", errorCode: "UNREGISTERED", says: "not found"),
        Row(
            prefix: "bad00400", status: 400, word: "INVALID_ARGUMENT", errorCode: "INVALID_ARGUMENT",
            says: "The registration token is not a valid FCM registration token"),
        Row(
            prefix: "bad01400", status: 400, word: "INVALID_ARGUMENT", errorCode: "INVALID_ARGUMENT",
            says: "APNs device token is disabled"),
        Row(prefix: "bad02400", status: 400, word: "INVALID_ARGUMENT", errorCode: nil, says: "google.rpc.BadRequest"),
        Row(
            prefix: "bad00401", status: 401, word: "UNAUTHENTICATED", errorCode: "THIRD_PARTY_AUTH_ERROR",
            says: "Request is missing required authentication credential."),
        Row(
            prefix: "bad01401", status: 401, word: "UNAUTHENTICATED", errorCode: nil,
            says: "invalid authentication credentials"),
        Row(
            prefix: "bad00403", status: 403, word: "PERMISSION_DENIED", errorCode: "SENDER_ID_MISMATCH",
            says: "SenderId mismatch"),
        Row(
            prefix: "bad01403", status: 403, word: "PERMISSION_DENIED", errorCode: nil,
            says: "cloudmessaging.messages.create"),
        Row(prefix: "bad00404", status: 404, word: "NOT_FOUND", errorCode: nil, says: #""status":"NOT_FOUND"}}"#),
        Row(
            prefix: "bad00429", status: 429, word: "RESOURCE_EXHAUSTED", errorCode: "QUOTA_EXCEEDED",
            says: #""subject":"device""#),
        Row(prefix: "bad00500", status: 500, word: "INTERNAL", errorCode: "INTERNAL", says: "Internal error"),
        Row(prefix: "bad00503", status: 503, word: "UNAVAILABLE", errorCode: "UNAVAILABLE", says: "unavailable"),
        Row(prefix: "bad00502", status: 502, word: nil, errorCode: nil, says: "<!DOCTYPE html>"),
        Row(prefix: "de1ade1a0020", status: 200, word: nil, errorCode: nil, says: "projects/shop-1/messages/0:"),
    ]

    @Test func answersByPrefixOfToken() async throws {
        try await FCMSession.run { session async throws in
            for row in Self.rows {
                let fid = "e" + row.prefix + String(repeating: "0", count: 21 - row.prefix.count)
                for target in [#""token":"\#(row.prefix)-1:APA91b""#, #""fid":"\#(fid)""#] {
                    let answer = try await session.send(body: MessageTests.to(target))
                    #expect(answer.status == row.status && answer.body.contains(row.says), "\(target): \(answer)")
                    if let word = row.word {
                        #expect(answer.body.contains(#""status":"\#(word)""#), "\(target): \(answer)")
                    }
                    let code = answer.body.firstMatch(of: /"errorCode":"([A-Z_]+)"/).map { String($0.1) }
                    #expect(code == row.errorCode, "\(target): \(answer)")
                    #expect(
                        answer.fields["content-type"]?.hasPrefix(row.status == 502 ? "text/html" : "application/json")
                            == true)
                }
            }
            // A dry run reports dead tokens, but FCM does not contact Apple.
            let dry = #""validate_only":true,"message":{"token":"#
            #expect(try await session.send(body: #"{\#(dry)"dead0404-2:APA91b"}}"#).status == 404)
            #expect(try await session.send(body: #"{\#(dry)"bad00401-2:APA91b"}}"#).status == 200)
        }
    }

    @Test func losesAnswersByPrefixOfToken() async throws {
        try await FCMSession.run { session async throws in
            await #expect(throws: PushClient.Lost(code: .internalError)) {
                try await session.send(to: "0badc0de-1:APA91b")
            }
            let silent = session.start(to: "deafdeaf-1:APA91b")
            try await eventually("the answer is withheld") { await session.simulator.counters().withheld == 2 }
            await #expect(throws: PushClient.Lost.self) { try await session.send(to: "00000bad-1:APA91b") }
            await #expect(throws: PushClient.Lost.self) { try await silent.get() }
        }
    }

    @Test func returnsPlannedAnswers() async throws {
        try await FCMSession.run { session async throws in
            let token = FCMSession.token, control = session.control
            let path = "answers/tokens/" + token.replacing(":", with: "%3A")
            #expect(try await control.send("PUT", path, #"{"fault":"UNREGISTERED","after":1}"#).status == 204)
            #expect(try await session.send("\"data\":{\"n\":\"1\"}").status == 200)
            #expect(try await session.send("\"data\":{\"n\":\"2\"}").status == 404)
            let next = #"{"count":1,"answer":{"fault":"UNAVAILABLE","retry_after":30,"message":"later"}}"#
            #expect(try await control.send("POST", "answers/next", next).status == 204)
            let busy = try await session.send("\"data\":{\"n\":\"3\"}")
            #expect(busy.status == 503 && busy.fields["retry-after"] == "30" && busy.body.contains("later"), "\(busy)")
            let unknown = try await control.send("PUT", path, #"{"fault":"BUSY"}"#)
            #expect(
                unknown.status == 400 && unknown.body.contains("'BUSY' is not one of INVALID_ARGUMENT, "), "\(unknown)")
        }
    }
}
