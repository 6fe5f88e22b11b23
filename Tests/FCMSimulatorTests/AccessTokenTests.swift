import FCMSimulator
import Foundation
import SimulatorTestSupport
import Testing

/// The endpoint for access tokens, and the requests that a token permits.
@Suite struct AccessTokenTests {
    typealias Claims = TestAccount.Claims

    struct Row: Sendable, CustomStringConvertible {
        let description: String
        var status = 400
        let says: [String]
        var claims = Claims()
        var isOfStranger = false
    }

    static let window = ["invalid_grant", "short-lived token (60 minutes)", "iat and exp"]
    static let rows: [Row] = [
        Row(
            description: "valid", status: 200,
            says: [#""access_token":"ya29."#, #""expires_in":3599,"token_type":"Bearer""#]),
        Row(
            description: "unknown algorithm", says: ["invalid_grant", "Invalid JWT Signature."],
            claims: Claims(header: #"{"alg":"HS256","kid":"key-1"}"#)),
        Row(
            description: "signature of another key", says: ["invalid_grant", "Invalid JWT Signature."],
            isOfStranger: true),
        Row(
            description: "deleted key", says: ["invalid_grant", "Invalid JWT Signature."],
            claims: Claims(header: #"{"alg":"RS256","kid":"key-0"}"#)),
        Row(description: "no kid", status: 200, says: ["access_token"], claims: Claims(header: #"{"alg":"RS256"}"#)),
        Row(
            description: "unknown account with a known key", says: ["invalid_grant", "account not found"],
            claims: Claims(iss: "nobody@shop-1.iam.gserviceaccount.com")),
        Row(
            description: "unknown account and key", says: ["invalid_grant", "account not found"],
            claims: Claims(header: #"{"alg":"RS256","kid":"key-0"}"#, iss: "nobody@x"), isOfStranger: true),
        Row(description: "no iat", says: window, claims: Claims(iat: nil)),
        Row(description: "no exp", says: window, claims: Claims(exp: nil)),
        Row(description: "lifetime over one hour", says: window, claims: Claims(exp: 3_601)),
        Row(description: "expired", says: window, claims: Claims(iat: -3_600, exp: 0)),
        Row(description: "expires in 1 s", status: 200, says: ["access_token"], claims: Claims(iat: -3_599, exp: 1)),
        Row(description: "iat 300 s ahead", status: 200, says: ["access_token"], claims: Claims(iat: 300, exp: 3_900)),
        Row(description: "iat 301 s ahead", says: window, claims: Claims(iat: 301, exp: 3_901)),
        Row(description: "no scope", says: ["invalid_scope"], claims: Claims(scope: nil)),
        Row(description: "empty scope", says: ["invalid_scope"], claims: Claims(scope: " ")),
        Row(
            description: "two scopes", status: 200, says: ["access_token"],
            claims: Claims(scope: "https://www.googleapis.com/auth/firebase \(TestAccount.messaging)")),
        Row(description: "unknown scope", status: 200, says: [#"{"id_token":"#], claims: Claims(scope: "messaging")),
        Row(description: "time window before scope", says: window, claims: Claims(scope: nil, exp: 3_601)),
        Row(
            description: "audience of another endpoint", says: ["invalid_grant", "audience"],
            claims: Claims(aud: "https://localhost/token/")),
        Row(
            description: "audience of Google's endpoint", status: 200, says: ["access_token"],
            claims: Claims(aud: "https://oauth2.googleapis.com/token")),
        Row(description: "scope before audience", says: ["invalid_scope"], claims: Claims(scope: nil, aud: nil)),
    ]

    @Test(arguments: rows) func checksAssertionsAsGoogleDoes(row: Row) async throws {
        try await FCMSession.run { session async throws in
            let account = try (row.isOfStranger ? TestAccount.stranger : TestAccount.one).get()
            let answer = try await FCMSession.requestToken(
                session.client, assertion: account.assertion(row.claims, at: session.now))
            #expect(answer.status == row.status, "\(answer)")
            for part in row.says { #expect(answer.body.contains(part), "\(answer)") }
            #expect(answer.fields["content-type"] == "application/json; charset=UTF-8")
        }
    }

    @Test func rejectsInvalidForms() async throws {
        try await FCMSession.run { session async throws in
            let assertion = try TestAccount.one.get().assertion(at: session.now)
            let grant = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
            let rows: [(form: String, type: String, error: String)] = [
                ("assertion=\(assertion)", "application/x-www-form-urlencoded", "invalid_request"),
                (
                    "grant_type=password&assertion=\(assertion)", "application/x-www-form-urlencoded",
                    "unsupported_grant_type"
                ),
                (grant, "application/x-www-form-urlencoded", "invalid_request"),
                ("\(grant)&assertion=a.b", "application/x-www-form-urlencoded", "invalid_request"),
                ("\(grant)&assertion=a.b.c", "application/x-www-form-urlencoded", "invalid_request"),
                ("\(grant)&assertion=\(assertion)=", "application/x-www-form-urlencoded", "invalid_request"),
                ("\(grant)&assertion=\(assertion)", "application/json", "invalid_request"),
            ]
            for row in rows {
                let answer = try await FCMSession.requestToken(session.client, form: row.form, contentType: row.type)
                #expect(answer.status == 400 && answer.body.contains(#""error":"\#(row.error)""#), "\(row) \(answer)")
            }
            #expect(try await session.client.push(method: "GET", path: "/token", fields: []).status == 405)
            let counters = await session.simulator.counters()
            #expect(counters.byReason["unsupported_grant_type"] == 1, "\(counters)")
        }
    }

    @Test func acceptsTokenForLifetimeAndProject() async throws {
        try await FCMSession.run { session async throws in
            #expect(try await session.send().status == 200)
            #expect(try await session.send("\"data\":{\"n\":\"2\"}", project: "4242").status == 200, "project number")
            let stranger = try await session.send(bearer: "ya29.made-up")
            #expect(stranger.status == 401 && stranger.body.contains(#""status":"UNAUTHENTICATED""#))
            #expect(!stranger.body.contains("FcmError") && stranger.fields["www-authenticate"] != nil)
            try session.simulator.register(
                TestAccount.stranger.get().account(project: "other-1", email: "other@x", keyID: "key-2"))
            let other = try await session.send(project: "other-1")
            #expect(other.status == 403 && other.body.contains("cloudmessaging.messages.create"), "\(other)")
            #expect(!other.body.contains("FcmError"))
            let nowhere = try await session.send(project: "nowhere")
            #expect(nowhere.status == 404 && nowhere.body.contains(#""status":"NOT_FOUND"}"#), "no details: \(nowhere)")
            session.advance(milliseconds: 3_598_999)
            #expect(try await session.send("\"data\":{\"n\":\"3\"}").status == 200)
            session.advance(milliseconds: 1)
            #expect(try await session.send().status == 401)
        }
    }

    @Test func rejectsTokenWithoutMessagingScope() async throws {
        try await FCMSession.run { session async throws in
            let bearer = try await FCMSession.accessToken(
                session.client, Claims(scope: "https://www.googleapis.com/auth/datastore"), at: session.now)
            let answer = try await session.send(bearer: bearer)
            #expect(answer.status == 403 && answer.body.contains("insufficient authentication scopes"), "\(answer)")
        }
    }

    @Test func refusesAccountsAndTokensOnCommand() async throws {
        try await FCMSession.run { session async throws in
            let email = TestAccount.email, control = session.control
            #expect(try await control.send("POST", "tokens/revoke").status == 204)
            #expect(try await session.send().status == 401)
            let fresh = try await FCMSession.accessToken(session.client, at: session.now)
            #expect(try await session.send(bearer: fresh).status == 200)
            let denied = #"{"client_email":"\#(email)","send_fault":"PERMISSION_DENIED","token_error":"invalid_grant"}"#
            #expect(try await control.send("POST", "accounts/refuse", denied).status == 204)
            #expect(try await session.send(bearer: fresh).status == 403)
            let assertion = try TestAccount.one.get().assertion(at: session.now)
            let refused = try await FCMSession.requestToken(session.client, assertion: assertion)
            #expect(refused.status == 400 && refused.body.contains("invalid_grant"))
            #expect(
                try await control.send("POST", "accounts/refuse", #"{"client_email":"\#(email)"}"#).status == 204)
            #expect(try await FCMSession.requestToken(session.client, assertion: assertion).status == 200)
            let down = #"{"answer":{"fault":"UNAVAILABLE"}}"#
            #expect(try await control.send("PUT", "tokens/fault", down).status == 204)
            #expect(try await FCMSession.requestToken(session.client, assertion: assertion).status == 503)
            #expect(try await control.send("DELETE", "tokens/fault").status == 204)
            let uses = try #require(session.simulator.accountUses[email])
            #expect(uses.tokens == 3 && uses.tokenRequests == 4 && uses.shortestInterval == 0, "\(uses)")
            #expect(try await control.send("GET", "accounts").body.contains(#""token_requests":4"#))
        }
    }

    @Test func keepsThousandNewestTokensOfAccount() async throws {
        try await FCMSession.run { session async throws in
            try session.simulator.register(
                TestAccount.stranger.get().account(project: "other-1", email: "other@x", keyID: "key-2"))
            let assertion = try TestAccount.stranger.get().assertion(
                Claims(header: #"{"alg":"RS256","kid":"key-2"}"#, iss: "other@x"), at: session.now)
            func issue() async throws -> String {
                let answer = try await FCMSession.requestToken(session.client, assertion: assertion)
                let match = try #require(answer.body.firstMatch(of: /"access_token":"([^"]+)"/), "\(answer)")
                return String(match.1)
            }
            let (first, second) = (try await issue(), try await issue())
            for _ in 0..<998 { _ = try await issue() }
            #expect(try await session.send(project: "other-1", bearer: first).status == 200)
            _ = try await issue()
            #expect(try await session.send(project: "other-1", bearer: first).status == 401)
            #expect(try await session.send("\"data\":{\"n\":\"2\"}", project: "other-1", bearer: second).status == 200)
            #expect(try await session.send().status == 200, "another account's token is kept")
        }
    }

    @Test func runsAccountAndQuotaFaultsFromScript() async throws {
        let email = TestAccount.email
        let json =
            #"[{"at_ms":0,"account":{"client_email":"\#(email)","send_fault":"PERMISSION_DENIED"}},{"at_ms":0,"revoke":true},"#
            + #"{"at_ms":0,"quota":{"messages":1}},{"at_ms":0,"token_fault":{"answer":{"fault":"BAD_GATEWAY"}}}]"#
        let script = try SimulatedService<FCMDouble>.FaultScript(json: Data(json.utf8), source: "test")
        try await FCMSession.run { session async throws in
            try await script.run(on: session.simulator)
            let assertion = try TestAccount.one.get().assertion(at: session.now)
            #expect(try await FCMSession.requestToken(session.client, assertion: assertion).status == 502)
            session.simulator.setTokenFault(nil)
            #expect(try await session.send().status == 401)
            let fresh = try await FCMSession.accessToken(session.client, at: session.now)
            #expect(try await session.send(bearer: fresh).status == 403)
            session.simulator.refuse(email, nil)
            #expect(try await session.send(bearer: fresh).status == 200)
            #expect(try await session.send(bearer: fresh).status == 429)
        }
    }

    @Test func registersAccountFromFile() async throws {
        try await FCMSession.run { session async throws in
            let account = try TestAccount.stranger.get().pem
            let file =
                #"{"type":"service_account","project_id":"late-1","private_key_id":"key-9","client_email":"late@x","#
                + #""private_key":\#(jsonText(account)),"token_uri":"https://localhost/token"}"#
            #expect(try await session.control.send("POST", "accounts", file).status == 204)
            let assertion = try TestAccount.stranger.get().assertion(
                Claims(header: #"{"alg":"RS256","kid":"key-9"}"#, iss: "late@x"), at: session.now)
            #expect(try await FCMSession.requestToken(session.client, assertion: assertion).status == 200)
            let bad = try await session.control.send("POST", "accounts", #"{"project_id":"x","private_key":"none"}"#)
            #expect(bad.status == 400, "\(bad)")
        }
    }
}
