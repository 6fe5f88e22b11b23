import Crypto
import Foundation
import SimulatorTestSupport
import Testing
import WebPushSimulator

/// What a push service checks of a request, in each persona's words.
@Suite struct RequestTests {
    typealias Push = PushSession.Push
    typealias Claims = TestVAPID.Claims

    struct Row: Sendable {
        let what: String
        let push: @Sendable (PushSession) throws -> Push
        /// Statuses of Apple, Mozilla, Google and Microsoft.
        let statuses: [Int]
        /// Apple's reason and Mozilla's errno.
        var reason = ""
        var errno = 0

        init(
            _ what: String, _ statuses: [Int], _ reason: String = "", _ errno: Int = 0,
            _ push: @escaping @Sendable (PushSession) throws -> Push
        ) {
            (self.what, self.statuses, self.reason, self.errno, self.push) = (what, statuses, reason, errno, push)
        }
    }

    static let good = [201, 201, 201, 201], bad = [400, 400, 400, 400], forged = [403, 401, 403, 401]
    static func header(_ name: String, _ value: String?) -> Push { Push(fields: [(name, value)]) }

    static let fields: [Row] = [
        Row("good", good) { _ in Push() },
        Row("no TTL", bad, "BadTtl", 111) { _ in header("ttl", nil) },
        Row("TTL with a sign", bad, "BadTtl", 112) { _ in header("ttl", "-1") },
        Row("TTL of words", bad, "BadTtl", 112) { _ in header("ttl", "1m") },
        Row("TTL 0", [400, 201, 201, 400], "BadTtl", 0) { _ in header("ttl", "0") },
        Row("TTL 0, not to be kept", [400, 201, 201, 201], "BadTtl", 0) { _ in
            Push(fields: [("ttl", "0"), ("x-wns-cache-policy", "no-cache")])
        },
        Row("TTL 1", good) { _ in header("ttl", "1") },
        Row("not to be kept, with a TTL", [201, 201, 201, 400]) { _ in header("x-wns-cache-policy", "no-cache") },
        Row("a very long TTL", good) { _ in header("ttl", "31536000") },
        Row("urgency", good) { _ in header("urgency", "very-low") },
        Row("high", good) { _ in header("urgency", "high") },
        Row("another urgency", bad, "BadUrgency", 110) { _ in header("urgency", "High") },
        Row("topic", good) { _ in header("topic", "abcdefghijklmnopqrstuvwxyz-_0123") },
        Row("long topic", bad, "BadWebPushTopic", 113) { _ in header("topic", "abcdefghijklmnopqrstuvwxyz-_01234") },
        Row("odd topic", bad, "BadWebPushTopic", 113) { _ in header("topic", "a.b") },
        Row("topic of five", [400, 201, 201, 201], "BadWebPushTopic", 0) { _ in header("topic", "abcde") },
        Row("no coding", bad, "BadWebPushRequest", 110) { _ in header("content-encoding", nil) },
        Row("old coding", bad, "BadWebPushRequest", 110) { _ in header("content-encoding", "aesgcm") },
        Row("two codings", bad, "BadWebPushRequest", 110) { _ in header("content-encoding", "aes128gcm, gzip") },
        Row("an old draft's field", bad, "BadWebPushRequest", 110) { _ in header("crypto-key", "dh=BA") },
        Row("method", [405, 405, 405, 405], "MethodNotAllowed", 999) { _ in Push(method: "PUT") },
        Row("path", [404, 404, 404, 404], "BadPath", 102) { _ in Push(path: "/elsewhere") },
    ]

    static let tokens: [Row] = [
        Row("no authorization", [403, 401, 401, 401], "BadAuthorizationHeader", 109) { _ in header("authorization", nil)
        },
        Row("another scheme", [403, 401, 401, 401], "BadAuthorizationHeader", 109) { _ in
            Push(authorization: "WebPush abc")
        },
        Row("no key", [403, 401, 401, 401], "BadAuthorizationHeader", 109) {
            Push(authorization: "vapid t=\(try $0.vapid.token(Claims(), at: PushSession.now))")
        },
        Row("a key that is none", [403, 401, 400, 401], "BadVapidPublicKey", 109) {
            Push(authorization: "vapid t=\(try $0.vapid.token(Claims(), at: PushSession.now)), k=BA")
        },
        Row("a padded key", [403, 401, 400, 401], "BadVapidPublicKey", 109) {
            Push(authorization: try $0.vapid.field(Claims(), at: PushSession.now) + "=")
        },
        Row("a token that is none", forged, "BadJwtToken", 109) {
            Push(authorization: "vapid t=a.b.c, k=\($0.vapid.publicKey)")
        },
        Row("another's signature", forged, "BadJwtToken", 109) {
            Push(
                authorization:
                    "vapid t=\(try TestVAPID().token(Claims(), at: PushSession.now)), k=\($0.vapid.publicKey)")
        },
        Row("another algorithm", forged, "BadJwtToken", 109) { _ in Push(claims: Claims(header: #"{"alg":"HS256"}"#)) },
        Row("no typ", good) { _ in Push(claims: Claims(header: #"{"alg":"ES256"}"#)) },
        Row("another origin", forged, "BadJwtToken", 109) { _ in Push(claims: Claims(aud: "https://push.example"))
        },
        Row("no origin", forged, "BadJwtToken", 109) { _ in Push(claims: Claims(aud: nil)) },
        Row("no exp", forged, "BadJwtToken", 109) { _ in Push(claims: Claims(exp: nil)) },
        Row("over", forged, "BadJwtToken", 109) { _ in Push(claims: Claims(exp: 0)) },
        Row("nearly over", good) { _ in Push(claims: Claims(exp: 1)) },
        Row("a day", good) { _ in Push(claims: Claims(exp: 86_400)) },
        Row("more than a day", forged, "BadJwtToken", 109) { _ in Push(claims: Claims(exp: 86_401)) },
        Row("no subject", [403, 201, 201, 201], "BadJwtToken", 0) { _ in Push(claims: Claims(sub: nil)) },
        Row("a page", good) { _ in Push(claims: Claims(sub: "https://example.com")) },
        Row("no contact", forged, "BadJwtToken", 109) { _ in Push(claims: Claims(sub: "me")) },
        Row("brackets", [403, 201, 201, 201], "BadJwtToken", 0) { _ in Push(claims: Claims(sub: "mailto: <a@b.com>")) },
        Row("localhost", [403, 201, 201, 201], "BadJwtToken", 0) { _ in Push(claims: Claims(sub: "mailto:a@localhost"))
        },
        Row("another key", [400, 401, 403, 403], "VapidPkHashMismatch", 109) { _ in
            // Its audience is mended below.
            Push(authorization: "other")
        },
    ]

    @Test func requestsAreJudgedInEachPersonasWords() async throws {
        try await PushSession.run { session async throws in
            let other = TestVAPID()
            for row in Self.fields + Self.tokens {
                for (persona, status) in zip(Persona.allCases, row.statuses) {
                    var push = try row.push(session)
                    if push.authorization == "other" {
                        let origin = "https://localhost:\(session.simulator.port(of: persona))"
                        push.authorization = try other.field(Claims(aud: origin), at: PushSession.now)
                    }
                    let answer = try await session.send(persona, push)
                    #expect(answer.status == status, "\(row.what), \(persona): \(answer)")
                    guard status != 201 else { continue }
                    switch persona {
                    case .apple: #expect(answer.body == #"{"reason":"\#(row.reason)"}"#, "\(row.what): \(answer)")
                    case .mozilla:
                        #expect(
                            answer.body.contains(#""code":\#(status),"errno":\#(row.errno),"#), "\(row.what): \(answer)"
                        )
                    case .google:
                        #expect(
                            answer.body.hasSuffix("\n")
                                && answer.fields["content-type"]?.hasPrefix("text/plain") == true)
                    case .microsoft: #expect(answer.body.isEmpty && answer.fields["x-wns-error-description"] != nil)
                    }
                }
            }
        }
    }

    @Test func acceptanceDiffersByPersona() async throws {
        try await PushSession.run { session async throws in
            let apple = try await session.send(.apple)
            #expect(apple.fields["apns-id"] != nil && apple.fields["location"] == nil && apple.body.isEmpty, "\(apple)")
            let mozilla = try await session.send(.mozilla, Self.header("ttl", "9000000"))
            #expect(
                mozilla.fields["ttl"] == "2592000" && mozilla.fields["location"]?.contains("/m/") == true, "\(mozilla)")
            #expect(try await session.send(.google).fields["location"]?.hasPrefix("https://localhost:") == true)
            #expect(try await session.send(.microsoft).fields["x-wns-status"] == "received")
        }
    }

    @Test func subscriptionsDie() async throws {
        try await PushSession.run { session async throws in
            for (persona, words) in zip(
                Persona.allCases, ["Unregistered", #""errno":106"#, "unsubscribed or expired", ""])
            {
                let gone = try await session.send(persona, to: session.subscribe(persona, .gone))
                #expect(gone.status == 410 && (words.isEmpty || gone.body.contains(words)), "\(persona): \(gone)")
                #expect(try await session.send(persona, to: session.subscribe(persona, .unknown)).status == 404)
                // Of another persona: its path is none here, or its id.
                let other: Persona = persona == .google ? .microsoft : .google
                let url = try session.subscribe(other).endpoint
                let path = String(url.dropFirst("https://localhost:".count).drop { $0 != "/" })
                #expect(try await session.send(persona, Push(path: path)).status == 404)
            }
            var path = try session.subscribe(.google).endpoint
            path = String(path.dropFirst("https://localhost:".count).drop { $0 != "/" })
            path.append(path.removeLast() == "_" ? "-" : "_")
            #expect(try await session.send(.google, Push(path: path)).status == 404, "byte by byte")
        }
    }

    @Test func withoutAKeyMozillasSubscriptionsAreForAll() async throws {
        try await PushSession.run { session async throws in
            let free = try session.simulator.subscribe(.mozilla, key: nil)
            #expect(try await session.send(.mozilla, Self.header("authorization", nil), to: free).status == 201)
            #expect(try await session.send(.mozilla, to: free).status == 201)
            #expect(try await session.send(.mozilla, Push(claims: Claims(exp: 0)), to: free).status == 401)
            let error = #expect(throws: SimulatorError.self) { try session.simulator.subscribe(.apple, key: nil) }
            #expect(error?.description.contains("application_server_key") == true)
        }
    }
}
