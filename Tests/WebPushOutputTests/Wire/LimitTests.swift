import PushModel
import TestSupport
import Testing
import WebPushOutput
import WebPushSimulator

/// The limits of the services, with cases on both sides. The simulator checks everything, including decryption.
@Suite struct LimitTests {
    private static let otherKey = VAPIDKey(subject: "mailto:push@example.com").publicKeyText

    @Test(arguments: Persona.allCases, [(0, true), (1, true), (3_993, true), (3_994, false)])
    func enforcesPayloadLimit(persona: Persona, limit: (count: Int, isGood: Bool)) async throws {
        try await PushServices.with { services in
            let text = String(repeating: "x", count: limit.count)
            let outcomes = try await services.send([try services.recipient(of: persona)], payload: "\"\(text)\"")
            #expect(outcomes.map(\.verdict) == [limit.isGood ? .sent : .rejected])
            #expect(outcomes.map(\.reason) == [limit.isGood ? nil : "PayloadTooLarge"])
            #expect(services.simulator.recordedRequests.map(\.payload) == (limit.isGood ? [text] : []))
        }
    }

    /// Mozilla's bridge to Android accepts smaller bodies and refuses larger ones with errno 104.
    @Test func enforcesSmallerLimitOfFirefoxOnAndroid() async throws {
        try await PushServices.with({ $0.longestBodies = [.mozilla: 2_700] }) { services in
            for (count, reason) in [(2_700 - 103, nil), (2_700 - 102, "Errno104")] as [(Int, String?)] {
                let outcomes = try await services.send(
                    [try services.recipient(of: .mozilla)], payload: "\"\(String(repeating: "x", count: count))\"")
                #expect(outcomes.map(\.reason) == [reason])
            }
        }
    }

    @Test(arguments: Persona.allCases)
    func sendsValidTTLsUrgenciesAndTopics(persona: Persona) async throws {
        try await PushServices.with { services in
            for member in [
                #""expires_at":0"#, #""expires_at":"2100-01-01T00:00:00Z""#, #""priority":10"#, #""priority":5"#,
                #""priority":1"#,
            ] + (1...40).map({ #""collapse_id":"\#(String(repeating: "t", count: $0))""# }) + [
                #""collapse_id":"a b""#, #""collapse_id":"ä""#,
            ] {
                let outcomes = try await services.send([try services.recipient(of: persona)], payload: #""x""#, member)
                #expect(outcomes.map(\.verdict) == [.sent], "\(member): \(outcomes.map(\.reason))")
            }
            #expect(services.simulator.vapidUses.values.map(\.tokens) == [1], "one token per key and origin")
        }
    }

    @Test(arguments: Persona.allCases)
    func reportsOutcomeForEachSubscriptionState(persona: Persona) async throws {
        try await PushServices.with { services in
            let recipients = try [
                services.recipient(of: persona), services.recipient(of: persona, state: .gone),
                services.recipient(of: persona, state: .unknown),
                services.recipient(of: persona, key: Self.otherKey), services.recipient(of: persona),
            ]
            // The service must have accepted the key before it refuses a subscription.
            _ = try await services.send([recipients[0]])
            let outcomes = try await services.send(recipients).sorted { $0.recipient < $1.recipient }
            #expect(outcomes.map(\.verdict) == [.sent, .unregistered, .unregistered, .rejected, .sent])
            #expect(outcomes[3].reason == (persona == .microsoft ? "Status403" : "KeyMismatch"))
        }
    }

    /// All services at once, one of them over HTTP/1.1. Each recipient gets one message and one outcome.
    @Test func sendsCampaignToAllServices() async throws {
        try await PushServices.with { services in
            // On slow machines, fewer messages are sent, because a service whose first answer takes ten seconds counts
            // as silent.
            let count = 2_000 / deadlineFactor
            let recipients = try (0..<count).map { try services.recipient(of: Persona.allCases[$0 % 4]) }
            let outcomes = try await services.send(recipients)
            #expect(Set(outcomes.map(\.recipient)) == Set(recipients.indices) && outcomes.count == recipients.count)
            #expect(outcomes.allSatisfy { $0.verdict == .sent })
            let arrivals = services.simulator.recordedArrivals
            #expect(arrivals.count == recipients.count && arrivals.values.allSatisfy { $0 == 1 })
        }
    }
}
