import APNSSimulator
import Foundation
import SimulatorTestSupport
import Testing

/// The rules for the keys that may be used on one connection (Apple: "Establishing a token-based connection to APNs").
@Suite struct KeyScopeTests {
    private func token(
        _ keyID: String, team: String = "T", environments: Set<SimulatorConfiguration.Environment> = [.production],
        topics: Set<String> = [], related: String? = nil, text: String = ""
    ) -> ProviderToken {
        ProviderToken(
            team: team, keyID: keyID, issuedAt: 0, text: Array((keyID + text).utf8),
            scope: TokenKey.Scope(environments: environments, topics: topics, relatedKeyID: related))
    }

    @Test func limitsLaterKeysByFirstKeyOfConnection() {
        let topicKey = token("A", topics: ["a"]), related = token("B", topics: ["b"], related: "A")
        let rows: [(ProviderToken, ProviderToken, RejectionReason?)] = [
            (token("1"), token("2"), nil), (token("1"), token("2", team: "U"), .invalidProviderToken),
            (token("1"), topicKey, .unrelatedKeyIDInToken), (topicKey, token("1"), .unrelatedKeyIDInToken),
            (topicKey, related, nil), (related, topicKey, nil),
            (topicKey, token("C", topics: ["b"]), .unrelatedKeyIDInToken),
            (token("1"), token("2", environments: [.sandbox]), .badEnvironmentKeyInToken),
        ]
        for (first, second, reason) in rows {
            var rules = ProviderTokenRules(environment: .production)
            #expect(rules.admit(first, at: 0) == nil)
            #expect(rules.admit(second, at: 0) == reason, "\(first.keyID) then \(second.keyID)")
        }
    }

    @Test func refusesFirstKeyOfOtherEnvironment() {
        var rules = ProviderTokenRules(environment: .sandbox)
        #expect(rules.admit(token("1"), at: 0) == .badEnvironmentKeyInToken)
        #expect(rules.admit(token("2", environments: [.sandbox]), at: 0) == nil, "a refused key must not be bound")
    }

    @Test func countsTwentyMinutesForEachKey() {
        var rules = ProviderTokenRules(environment: .production)
        #expect(rules.admit(token("1"), at: 0) == nil)
        #expect(rules.admit(token("2"), at: 60) == nil)
        #expect(rules.admit(token("1", text: "new"), at: 1_199) == .tooManyProviderTokenUpdates)
        #expect(rules.admit(token("1", text: "new"), at: 1_200) == nil)
        #expect(rules.admit(token("2", text: "new"), at: 1_259) == .tooManyProviderTokenUpdates)
    }

    @Test func refusesKeyOutsideListedTopics() async throws {
        let key = TestKey()
        var registered = key.tokenKey
        registered.scope = TokenKey.Scope(topics: ["com.example"])
        try await withSimulator {
            $0.tokenKeys = [registered]
        } _: { simulator in
            let client = try await PushClient.connect(to: simulator)
            let authorization = key.authorization()
            for (topic, status) in [("com.example", 200), ("com.example.voip", 200), ("com.other", 400)] {
                let type = topic.hasSuffix("voip") ? "voip" : "alert"
                let response = try await client.push(fields: [
                    ("authorization", authorization), ("apns-topic", topic), ("apns-push-type", type),
                ])
                #expect(response.status == status, "\(topic)")
            }
            #expect(await simulator.counters().byReason == ["TopicDisallowed": 1])
            let use = try #require(simulator.tokenUses[key.keyID])
            #expect(use.issued.count == 1 && use.updatesTooSoon == 0 && use.shortestInterval == nil)
        }
    }

    @Test func recordsTokenUsesByKey() async throws {
        let key = TestKey()
        let now = Date()
        try await withSimulator {
            $0.tokenKeys = [key.tokenKey]
            $0.now = { now }
        } _: { simulator in
            let client = try await PushClient.connect(to: simulator)
            for seconds in [-600.0, 0, -4_000] {
                _ = try await client.push(fields: [
                    ("authorization", key.authorization(issuedAt: now.addingTimeInterval(seconds))),
                    ("apns-topic", "com.example"), ("apns-push-type", "alert"),
                ])
            }
            let use = try #require(simulator.tokenUses[key.keyID])
            #expect(use.issued.count == 3)
            #expect(use.shortestInterval == 600)
            #expect(use.updatesTooSoon == 1 && use.expired == 1)
            #expect(use.greatestAge == 600)
            await simulator.reset()
            #expect(simulator.tokenUses.isEmpty)
        }
    }
}
