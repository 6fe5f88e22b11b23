import Crypto
import Foundation
import SimulatorTestSupport
import Testing
import WebPushSimulator

/// The checks that a push service applies to a request, and the answers of each persona.
@Suite struct RequestTests {
    typealias Push = PushSession.Push
    typealias Claims = TestVAPID.Claims

    struct Row: Sendable {
        let what: String
        let push: @Sendable (PushSession) throws -> Push
        /// The expected statuses of Apple, Mozilla, Google and Microsoft, in this order.
        let statuses: [Int]
        /// The reason in Apple's answer.
        var reason = ""
        /// The errno in Mozilla's answer.
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
        Row("valid", good) { _ in Push() },
        Row("no TTL", bad, "BadTtl", 111) { _ in header("ttl", nil) },
        Row("TTL with a sign", bad, "BadTtl", 112) { _ in header("ttl", "-1") },
        Row("TTL that is not a number", bad, "BadTtl", 112) { _ in header("ttl", "1m") },
        Row("TTL 0", [400, 201, 201, 400], "BadTtl", 0) { _ in header("ttl", "0") },
        Row("TTL 0 with no-cache", [400, 201, 201, 201], "BadTtl", 0) { _ in
            Push(fields: [("ttl", "0"), ("x-wns-cache-policy", "no-cache")])
        },
        Row("TTL 1", good) { _ in header("ttl", "1") },
        Row("TTL 60 with no-cache", [201, 201, 201, 400]) { _ in header("x-wns-cache-policy", "no-cache") },
        Row("a very long TTL", good) { _ in header("ttl", "31536000") },
        Row("urgency very-low", good) { _ in header("urgency", "very-low") },
        Row("urgency high", good) { _ in header("urgency", "high") },
        Row("unknown urgency", bad, "BadUrgency", 110) { _ in header("urgency", "High") },
        Row("topic", good) { _ in header("topic", "abcdefghijklmnopqrstuvwxyz-_0123") },
        Row("long topic", bad, "BadWebPushTopic", 113) { _ in header("topic", "abcdefghijklmnopqrstuvwxyz-_01234") },
        Row("topic with invalid character", bad, "BadWebPushTopic", 113) { _ in header("topic", "a.b") },
        Row("topic of five characters", [400, 201, 201, 201], "BadWebPushTopic", 0) { _ in header("topic", "abcde") },
        Row("no encoding", bad, "BadWebPushRequest", 110) { _ in header("content-encoding", nil) },
        Row("old encoding", bad, "BadWebPushRequest", 110) { _ in header("content-encoding", "aesgcm") },
        Row("two encodings", bad, "BadWebPushRequest", 110) { _ in header("content-encoding", "aes128gcm, gzip") },
        Row("header field of an old draft", bad, "BadWebPushRequest", 110) { _ in header("crypto-key", "dh=BA") },
        Row("wrong method", [405, 405, 405, 405], "MethodNotAllowed", 999) { _ in Push(method: "PUT") },
        Row("unknown path", [404, 404, 404, 404], "BadPath", 102) { _ in Push(path: "/elsewhere") },
    ]

    static let tokens: [Row] = [
        Row("no authorization", [403, 401, 401, 401], "BadAuthorizationHeader", 109) { _ in header("authorization", nil)
        },
        Row("another authorization scheme", [403, 401, 401, 401], "BadAuthorizationHeader", 109) { _ in
            Push(authorization: "WebPush abc")
        },
        Row("no key", [403, 401, 401, 401], "BadAuthorizationHeader", 109) {
            Push(authorization: "vapid t=\(try $0.vapid.token(Claims(), at: PushSession.now))")
        },
        Row("invalid key", [403, 401, 400, 401], "BadVapidPublicKey", 109) {
            Push(authorization: "vapid t=\(try $0.vapid.token(Claims(), at: PushSession.now)), k=BA")
        },
        Row("padded key", [403, 401, 400, 401], "BadVapidPublicKey", 109) {
            Push(authorization: try $0.vapid.field(Claims(), at: PushSession.now) + "=")
        },
        Row("malformed token", forged, "BadJwtToken", 109) {
            Push(authorization: "vapid t=a.b.c, k=\($0.vapid.publicKey)")
        },
        Row("signature of another key", forged, "BadJwtToken", 109) {
            Push(
                authorization:
                    "vapid t=\(try TestVAPID().token(Claims(), at: PushSession.now)), k=\($0.vapid.publicKey)")
        },
        Row("another algorithm", forged, "BadJwtToken", 109) { _ in Push(claims: Claims(header: #"{"alg":"HS256"}"#)) },
        Row("no typ", good) { _ in Push(claims: Claims(header: #"{"alg":"ES256"}"#)) },
        Row("another audience", forged, "BadJwtToken", 109) { _ in Push(claims: Claims(aud: "https://push.example"))
        },
        Row("no audience", forged, "BadJwtToken", 109) { _ in Push(claims: Claims(aud: nil)) },
        Row("no exp", forged, "BadJwtToken", 109) { _ in Push(claims: Claims(exp: nil)) },
        Row("expired", forged, "BadJwtToken", 109) { _ in Push(claims: Claims(exp: 0)) },
        Row("expires in 1 s", good) { _ in Push(claims: Claims(exp: 1)) },
        Row("expires in a day", good) { _ in Push(claims: Claims(exp: 86_400)) },
        Row("expires after a day", forged, "BadJwtToken", 109) { _ in Push(claims: Claims(exp: 86_401)) },
        Row("no subject", [403, 201, 201, 201], "BadJwtToken", 0) { _ in Push(claims: Claims(sub: nil)) },
        Row("subject is a page", good) { _ in Push(claims: Claims(sub: "https://example.com")) },
        Row("invalid subject", forged, "BadJwtToken", 109) { _ in Push(claims: Claims(sub: "me")) },
        Row("brackets", [403, 201, 201, 201], "BadJwtToken", 0) { _ in Push(claims: Claims(sub: "mailto: <a@b.com>")) },
        Row("localhost", [403, 201, 201, 201], "BadJwtToken", 0) { _ in Push(claims: Claims(sub: "mailto:a@localhost"))
        },
        Row("key of another sender", [400, 401, 403, 403], "VapidPkHashMismatch", 109) { _ in
            // The test replaces this text with the authorization of another sender.
            Push(authorization: "other")
        },
    ]

    @Test func answersRequestsAsEachPersona() async throws {
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

    @Test func returnsFieldsOfEachPersonaOnAcceptance() async throws {
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

    @Test func rejectsDeadAndUnknownSubscriptions() async throws {
        try await PushSession.run { session async throws in
            for (persona, words) in zip(
                Persona.allCases, ["Unregistered", #""errno":106"#, "unsubscribed or expired", ""])
            {
                let gone = try await session.send(persona, to: session.subscribe(persona, .gone))
                #expect(gone.status == 410 && (words.isEmpty || gone.body.contains(words)), "\(persona): \(gone)")
                #expect(try await session.send(persona, to: session.subscribe(persona, .unknown)).status == 404)
                // A subscription of another persona has a path or an id that is unknown here.
                let other: Persona = persona == .google ? .microsoft : .google
                let url = try session.subscribe(other).endpoint
                let path = String(url.dropFirst("https://localhost:".count).drop { $0 != "/" })
                #expect(try await session.send(persona, Push(path: path)).status == 404)
            }
            var path = try session.subscribe(.google).endpoint
            path = String(path.dropFirst("https://localhost:".count).drop { $0 != "/" })
            path.append(path.removeLast() == "_" ? "-" : "_")
            #expect(try await session.send(.google, Push(path: path)).status == 404, "all bytes of the path count")
        }
    }

    @Test func acceptsAnyKeyForMozillaSubscriptionWithoutKey() async throws {
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
