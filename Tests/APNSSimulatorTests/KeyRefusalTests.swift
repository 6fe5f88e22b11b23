import APNSSimulator
import Foundation
import NIOCore
import SimulatorTestSupport
import Testing

/// Keys that are refused and later accepted again, while connections are open.
@Suite struct KeyRefusalTests {
    private let key = TestKey()

    private func fields(_ key: TestKey, topic: String = "com.example") -> [(String, String)] {
        [("authorization", key.authorization()), ("apns-topic", topic), ("apns-push-type", "alert")]
    }

    @Test func refusesRevokedKeyAtOnceUntilRestored() async throws {
        let other = TestKey(team: "TEAM000002", keyID: "KEY0000002")
        try await withSimulator {
            $0.tokenKeys = [key.tokenKey, other.tokenKey]
        } _: { simulator in
            let mine = fields(key)
            let client = try await PushClient.connect(to: simulator)
            #expect(try await client.push(fields: mine).status == 200)
            simulator.refuse(keyID: key.keyID)
            #expect(try await client.push(fields: mine).body == #"{"reason":"InvalidProviderToken"}"#)
            let withoutTopic = try await client.push(fields: [mine[0]])
            #expect(withoutTopic.body == #"{"reason":"InvalidProviderToken"}"#, "the credential is checked first")
            let neighbour = try await PushClient.connect(to: simulator)
            #expect(try await neighbour.push(fields: fields(other)).status == 200, "another team must not be affected")

            let fresh = try await PushClient.connect(to: simulator)
            simulator.refuse(keyID: key.keyID, KeyRefusal(.forbidden))
            #expect(try await fresh.push(fields: mine).body == #"{"reason":"Forbidden"}"#)
            #expect(try await fresh.streamLimit() == 1, "a refused key must not raise the stream limit")

            simulator.refuse(keyID: key.keyID, nil)
            #expect(try await client.push(fields: mine).status == 200)
            #expect(try await fresh.push(fields: mine).status == 200)
            try await fresh.waitForStreamLimit(1_000)
        }
    }

    @Test func refusesKeyForListedTopicsOnly() async throws {
        try await withSimulator {
            $0.tokenKeys = [key.tokenKey]
        } _: { simulator in
            let client = try await PushClient.connect(to: simulator)
            let authorization = key.authorization()
            func push(_ topic: String) async throws -> String {
                try await client.push(fields: [("authorization", authorization), ("apns-topic", topic)]).body
            }
            simulator.refuse(keyID: key.keyID, KeyRefusal(.topicDisallowed, topics: ["com.example.a"]))
            #expect(try await push("com.example.a") == #"{"reason":"TopicDisallowed"}"#)
            #expect(try await push("com.example.a.voip") == #"{"reason":"TopicDisallowed"}"#)
            #expect(try await push("com.example.ab") == "")
            #expect(try await push("com.example.b") == "")
            await simulator.reset()
            #expect(try await push("com.example.a") == "", "a reset must end the refusal")
        }
    }

    @Test func refusesAndRestoresKeyThroughControlEndpoint() async throws {
        try await withSimulator {
            $0.tokenKeys = [key.tokenKey]
            $0.controlPort = 0
        } _: { simulator in
            let control = Control(port: try #require(simulator.controlPort))
            let client = try await PushClient.connect(to: simulator)
            let mine = fields(key)
            let refusal = #"{"key_id":"KEY1234567","reason":"InvalidProviderToken","topics":["com.example"]}"#
            #expect(try await control.send("POST", "keys/refuse", refusal).status == 204)
            #expect(try await client.push(fields: mine).status == 403)
            #expect(try await control.send("POST", "keys/refuse", #"{"key_id":"KEY1234567"}"#).status == 204)
            #expect(try await client.push(fields: mine).status == 200)
            let bad = try await control.send("POST", "keys/refuse", #"{"key_id":"K","why":1}"#)
            #expect(bad.status == 400 && bad.body.contains("why"), "\(bad)")
            let odd = #"{"status":410,"reason":"Unregistered","without_timestamp":true}"#
            #expect(try await control.send("PUT", "answers/tokens/00ff", odd).status == 204)
            #expect(try await client.push(fields: mine).body == #"{"reason":"Unregistered"}"#)
        }
    }

    /// The headers of a second request arrive before the end of the first request. The two requests use different keys,
    /// which are related.
    @Test func checksOverlappingRequestsAgainstDifferentKeys() async throws {
        let related = TestKey(keyID: "KEY0000002")
        var first = key.tokenKey, second = related.tokenKey
        first.scope = TokenKey.Scope(topics: ["com.example.a"])
        second.scope = TokenKey.Scope(topics: ["com.example.b"], relatedKeyID: key.keyID)
        try await withSimulator {
            $0.tokenKeys = [first, second]
        } _: { simulator in
            var faults = StandingFaults()
            faults.windowDelayMilliseconds = 1_000
            await simulator.setFaults(faults)
            let client = try await PushClient.connect(to: simulator)
            let mine = fields(key, topic: "com.example.a"), theirs = fields(related, topic: "com.example.b")
            #expect(try await client.push(fields: mine).status == 200)
            try await client.waitForStreamLimit(1_000)
            // The payload is larger than the window, so that its end arrives a second later.
            let large = client.start(fields: mine, payload: Array(repeating: 0x20, count: 70_000))
            let small = client.start(fields: theirs, payload: [])
            #expect(try await small.get().body == #"{"reason":"PayloadEmpty"}"#)
            #expect(try await large.get().body == #"{"reason":"PayloadTooLarge"}"#)
        }
    }

    @Test func recordsGreatestAgeOfAcceptedToken() async throws {
        let clock = TestClock()
        try await withSimulator {
            $0.tokenKeys = [key.tokenKey]
            $0.now = { clock.now }
        } _: { simulator in
            let client = try await PushClient.connect(to: simulator)
            let mine = [
                ("authorization", key.authorization(issuedAt: clock.now)), ("apns-topic", "com.example"),
            ]
            var statuses: [Int] = []
            for minutes in [0.0, 56, 2, 4] {
                clock.advance(minutes: minutes)
                statuses.append(try await client.push(fields: mine).status)
            }
            #expect(statuses == [200, 200, 200, 403])
            let use = try #require(simulator.tokenUses[key.keyID])
            #expect(use.greatestAge == 58 * 60)
            #expect(use.expired == 1)
            #expect(use.issued.count == 1)
        }
    }
}
