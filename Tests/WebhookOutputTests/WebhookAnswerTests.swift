import PushModel
import Testing
import WebhookOutput
import WireTestSupport

/// Every answer from a receiver over TLS, with the outcomes of two recipients.
@Suite struct WebhookAnswerTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reaction: HTTP1Server.Reaction
        let outcomes: [String]
    }

    private static func reported(_ outcomes: String, _ expected: String...) -> Case {
        Case(
            testDescription: outcomes, reaction: .answer(200, #"{"outcomes":[\#(outcomes)]}"#), outcomes: expected)
    }

    private static func status(_ status: Int, fields: String..., is outcome: String) -> Case {
        Case(
            testDescription: "\(status) \(fields)",
            reaction: .answer(status, #"{"outcomes":[{"i":0,"kind":"sent"},{"i":1,"kind":"sent"}]}"#, fields: fields),
            outcomes: [outcome, outcome])
    }

    private static func body(_ name: String, _ reaction: HTTP1Server.Reaction, is outcome: String) -> Case {
        Case(testDescription: name, reaction: reaction, outcomes: [outcome, outcome])
    }

    private static func answer(bodyBytes: Int) -> String {
        let text = #"{"outcomes":[{"i":0,"kind":"sent"},{"i":1,"kind":"sent"}]}"#
        return text + String(repeating: " ", count: bodyBytes - text.utf8.count)
    }

    static let cases: [Case] = [
        reported(
            #"{"i":0,"kind":"sent","id":"m-1"},{"i":1,"kind":"unregistered","reason":"Left"}"#,
            "sent 200 - provider m-1", "unregistered 200 Left provider"),
        reported(
            #"{"i":1,"kind":"rejected"},{"i":0,"kind":"failed","reason":"NoCredit","id":"m-2"}"#,
            "failed 200 NoCredit martlet m-2", "rejected 200 Rejected provider"),
        reported(
            #"{"i":0,"kind":"retry","retry_after":30},{"i":1,"kind":"unknown"}"#,
            "retry 200 Retry provider after 30", "unknown 200 Unknown provider"),
        reported(
            #"{"i":0,"kind":"delivered"},{"i":1,"kind":"sent","reason":"none","retry_after":9}"#,
            "failed 200 Failed martlet", "sent 200 - provider"),
        reported(
            #"{"i":1,"kind":"sent"},{"i":2,"kind":"sent"}"#, "unknown 200 NotAnswered provider", "sent 200 - provider"),
        reported("", "unknown 200 NotAnswered provider", "unknown 200 NotAnswered provider"),
        body("body is not JSON", .answer(200, "<html>"), is: "unknown 200 BadAnswer provider"),
        body("no body", .answer(200), is: "unknown 200 BadAnswer provider"),
        body("body of maximum length", .answer(200, answer(bodyBytes: 69_632)), is: "sent 200 - provider"),
        body("body above the maximum", .answer(200, answer(bodyBytes: 69_633)), is: "unknown 200 BadAnswer provider"),
        body("connection closed", .end(), is: "unknown 0 ConnectionLost martlet"),
        body(
            "body cut", .end("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{\"outcomes\":[{\"i\":0,\"kind\":\"sent\"}"),
            is: "unknown 0 ConnectionLost martlet"),
        body("no answer", .nothing, is: "unknown 0 RequestTimeout martlet"),
        status(201, is: "unknown 201 Status201 provider"),
        status(202, is: "unknown 202 Status202 provider"),
        status(301, fields: "location: https://localhost/", is: "retry 301 Status301 provider"),
        status(307, fields: "location: https://localhost/", is: "retry 307 Status307 provider"),
        status(400, is: "rejected 400 Status400 provider"),
        status(401, is: "retry 401 Status401 provider"),
        status(403, is: "retry 403 Status403 provider"),
        status(404, is: "retry 404 Status404 provider"),
        status(405, is: "rejected 405 Status405 provider"),
        status(409, is: "rejected 409 Status409 provider"),
        status(422, is: "rejected 422 Status422 provider"),
        status(408, is: "unknown 408 Status408 provider"),
        status(410, is: "retry 410 Status410 provider"),
        status(413, is: "rejected 413 PayloadTooLarge provider"),
        status(429, is: "retry 429 Status429 provider"),
        status(429, fields: "retry-after: 7", is: "retry 429 Status429 provider after 7"),
        status(429, fields: "retry-after: soon", is: "retry 429 Status429 provider"),
        status(
            429, fields: "retry-after: Sun, 06 Nov 1994 08:49:37 GMT", is: "retry 429 Status429 provider after 1"),
        status(500, is: "unknown 500 Status500 provider"),
        status(500, fields: "retry-after: 7", is: "unknown 500 Status500 provider"),
        status(502, is: "unknown 502 Status502 provider"),
        status(503, is: "unknown 503 Status503 provider"),
        status(503, fields: "retry-after: 0", is: "retry 503 Status503 provider"),
        status(503, fields: "retry-after: soon", is: "retry 503 Status503 provider"),
        status(503, fields: "retry-after:", is: "retry 503 Status503 provider"),
        status(503, fields: "Retry-After: 7", is: "retry 503 Status503 provider after 7"),
        status(504, is: "unknown 504 Status504 provider"),
    ]

    @Test(arguments: cases) func mapsAnswersToOutcomes(_ one: Case) async throws {
        try await HTTP1Server.with { _ in
            one.reaction
        } _: { server in
            let fixture = try WebhookFixture(
                url: "https://localhost:\(server.port)/in", authorityFile: server.authorityFile
            ) { $0.requestTimeoutSeconds = 2 }
            let outcomes = try await fixture.send()
            #expect(outcomes.map(\.line) == one.outcomes)
            #expect(fixture.refusals == [], "two recipients must not stop a credential")
            #expect(outcomes.allSatisfy { ($0.unregisteredAt != nil) == ($0.verdict == .unregistered) })
            await fixture.output.shutDown()
        }
    }
}
