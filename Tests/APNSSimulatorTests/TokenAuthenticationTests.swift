import APNSSimulator
import Foundation
import SimulatorTestSupport
import Testing

/// Authentication with provider tokens, over real TLS with Martlet's own client session.
@Suite struct TokenAuthenticationTests {
    private let key = TestKey()

    private func fields(_ authorization: String) -> [(String, String)] {
        [("authorization", authorization), ("apns-topic", "com.example"), ("apns-push-type", "alert")]
    }

    @Test func answersAcceptedPushWithMessageID() async throws {
        try await withSimulator { simulator in
            simulator.register(key.tokenKey)
            let client = try await PushClient.connect(to: simulator)
            let id = "eabeae54-14a8-11e5-b60b-1697f925ec7b"
            let given = try await client.push(fields: fields(key.authorization()) + [("apns-id", id)])
            #expect(given == PushClient.Response(status: 200, fields: ["apns-id": id], body: ""))

            let invented = try await client.push(fields: fields(key.authorization()))
            let inventedID = try #require(invented.fields["apns-id"])
            #expect(inventedID.wholeMatch(of: /[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/) != nil, "\(inventedID)")
            #expect(invented.fields["apns-unique-id"] == nil)
        }
    }

    @Test func returnsUniqueIDInSandbox() async throws {
        try await withSimulator {
            $0.environment = .sandbox
            $0.tokenKeys = [key.tokenKey]
        } _: { simulator in
            let client = try await PushClient.connect(to: simulator)
            let response = try await client.push(fields: fields(key.authorization()))
            #expect(response.status == 200)
            #expect(response.fields["apns-unique-id"]?.count == 36)
        }
    }

    @Test func answersRefusedPushWithReasonAndMessageID() async throws {
        try await withSimulator { simulator in
            let client = try await PushClient.connect(to: simulator)
            let response = try await client.push(fields: [("apns-topic", "com.example")])
            #expect(response.status == 403)
            #expect(response.body == #"{"reason":"MissingProviderToken"}"#)
            #expect(response.fields["content-type"] == "application/json")
            #expect(response.fields["apns-id"]?.count == 36)
        }
    }

    @Test func allowsOneStreamUntilFirstValidToken() async throws {
        try await withSimulator { simulator in
            let client = try await PushClient.connect(to: simulator)
            #expect(try await client.streamLimit() == 1)
            let refused = try await client.push(fields: fields(key.authorization()))
            #expect(refused.body == #"{"reason":"InvalidProviderToken"}"#)
            #expect(try await client.streamLimit() == 1)

            simulator.register(key.tokenKey)
            #expect(try await client.push(fields: fields(key.authorization())).status == 200)
            try await client.waitForStreamLimit(1_000)

            let stranger = try await PushClient.connect(to: simulator)
            #expect(try await stranger.streamLimit() == 1)
        }
    }

    @Test func appliesTokenRulesByConfiguredClock() async throws {
        let clock = TestClock()
        try await withSimulator {
            $0.now = { clock.now }
            $0.tokenKeys = [key.tokenKey]
        } _: { simulator in
            let client = try await PushClient.connect(to: simulator)
            let first = fields(key.authorization(issuedAt: clock.now))
            #expect(try await client.push(fields: first).status == 200)
            clock.advance(minutes: 10)
            let second = fields(key.authorization(issuedAt: clock.now))
            #expect(try await client.push(fields: second).body == #"{"reason":"TooManyProviderTokenUpdates"}"#)
            #expect(try await client.push(fields: first).status == 200)
            // The rule applies to each connection separately, so another connection may begin with the new token.
            let other = try await PushClient.connect(to: simulator)
            #expect(try await other.push(fields: second).status == 200)
            clock.advance(minutes: 51)
            #expect(try await client.push(fields: first).body == #"{"reason":"ExpiredProviderToken"}"#)
            #expect(try await client.push(fields: second).status == 200)
        }
    }

    @Test func servesConnectionWithoutALPN() async throws {
        try await withSimulator({ $0.tokenKeys = [key.tokenKey] }) { simulator in
            let client = try await PushClient.connect(to: simulator, protocols: [])
            #expect(try await client.push(fields: fields(key.authorization())).status == 200)
        }
    }

    @Test func enforcesPayloadLimit() async throws {
        try await withSimulator({ $0.tokenKeys = [key.tokenKey] }) { simulator in
            let client = try await PushClient.connect(to: simulator)
            let fields = fields(key.authorization())
            for (count, status) in [(0, 400), (4_096, 200), (4_097, 413), (200_000, 413)] {
                let response = try await client.push(
                    fields: fields, payload: Array(repeating: 0x20, count: count))
                #expect(response.status == status, "\(count) bytes")
            }
        }
    }
}
