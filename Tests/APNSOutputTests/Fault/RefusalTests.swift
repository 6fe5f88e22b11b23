import APNSOutput
import APNSSimulator
import Foundation
import PushModel
import PushTestSupport
import TestSupport
import Testing

/// Credentials, topics and device tokens that APNs refuses, over TLS. The tests check which pushes are held and which
/// refusals are reported.
@Suite struct RefusalTests {
    private func withFixture(
        knowsKey: Bool = true, breakMilliseconds: Int64 = 60_000,
        _ body: (WireFixture, SimulatedAPNS) async throws -> Void
    ) async throws {
        let simulator = try await WireFixture.startedSimulator()
        let fixture = try WireFixture(simulator) { $0.breakMilliseconds = breakMilliseconds }
        if knowsKey { try fixture.register(at: simulator) }
        try await body(fixture, simulator)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func holdsPushesOfRefusedCredentialUntilProbeSucceeds() async throws {
        try await withFixture(knowsKey: false, breakMilliseconds: 10_000) { fixture, simulator async throws in
            #expect(try await fixture.push() == "hold InvalidProviderToken")
            try fixture.send(to: WireFixture.tokens(500))
            await fixture.recorder.wait(for: 501)
            #expect(fixture.tally == ["hold InvalidProviderToken": 501])
            #expect(fixture.recorder.outcomes.dropFirst().allSatisfy { [30, 120].contains($0.retryAfterSeconds) })
            #expect(await simulator.counters().arrivals == 1, "only the first push may be sent")
            #expect(fixture.refusals.count == 1)

            try fixture.register(at: simulator)
            try await eventually("a probe accepted") { try await fixture.push() == "sent -" }
            let arrivals = await simulator.counters().arrivals
            try fixture.send(to: WireFixture.tokens(100))
            try await eventually("all 100 pushes arrived") { await simulator.counters().arrivals == arrivals + 100 }
            #expect(fixture.refusals.count == 2)
            let subject = Refusal.Subject(credential: "1", environment: .production, topic: nil)
            #expect(fixture.refusals.last == .ended(subject))
        }
    }

    @Test func sendsOnlyProbesWhileCredentialIsRefused() async throws {
        try await withFixture(knowsKey: false, breakMilliseconds: 300) { fixture, simulator async throws in
            let start = ContinuousClock.now
            for _ in 0..<50 {
                #expect(try await fixture.push() == "hold InvalidProviderToken")
                try await Task.sleep(for: .milliseconds(20))  // why: spreads the pushes over a second
            }
            // Probes are sent after 0, 0.3, 0.9, 2.1, 4.5 … seconds, with a jitter of 10 %.
            let periods = (ContinuousClock.now - start) / .milliseconds(270)
            #expect(await simulator.counters().arrivals <= 1 + Int(log2(periods + 1)))
        }
    }

    @Test func failsForbiddenPushAndHoldsNext() async throws {
        try await withFixture { fixture, simulator async throws in
            simulator.answerNext(1, with: PlannedAnswer(.forbidden))
            #expect(try await fixture.push() == "failed Forbidden")
            #expect(try await fixture.push() == "hold Forbidden")
            #expect(await simulator.counters().arrivals == 1)
        }
    }

    @Test func holdsOnlyPushesOfDisallowedTopic() async throws {
        // The pause must be long, because in its last 5 seconds pushes wait in the worker and are not held.
        try await withFixture(breakMilliseconds: 30_000) { fixture, simulator async throws in
            simulator.answerNext(1, with: PlannedAnswer(.topicDisallowed))
            #expect(try await fixture.push("aa", #""topic":"com.example.other""#) == "hold TopicDisallowed")
            #expect(try await fixture.push("ab", #""topic":"com.example.other""#) == "hold TopicDisallowed")
            #expect(try await fixture.push("ac") == "sent -")
            #expect(await simulator.counters().arrivals == 2)
            let subject = Refusal.Subject(
                credential: "1", environment: .production, topic: "com.example.other")
            guard case .began(let refusal) = fixture.refusals.first else {
                Issue.record("expected the beginning of a refusal, got \(fixture.refusals)")
                return
            }
            #expect(refusal.subject == subject && refusal.reason == "TopicDisallowed")
            try await eventually("the probe of the topic accepted") {
                try await fixture.push("ad", #""topic":"com.example.other""#) == "sent -"
            }
            #expect(fixture.refusals.last == .ended(subject))
        }
    }

    /// A 403 without a reason, or with an unknown reason, may concern only one push.
    @Test(arguments: ["AppSuspended", nil])
    func sendsOtherPushesAfter403WithUnknownReason(reason: String?) async throws {
        try await withFixture { fixture, simulator async throws in
            simulator.answerNext(1, with: PlannedAnswer(status: 403, reason: reason))
            #expect(try await fixture.push("aa", #""topic":"com.example.other""#) == "retry \(reason ?? "Status403")")
            #expect(try await fixture.push("ab", #""topic":"com.example.other""#) == "sent -")
            #expect(try await fixture.push("ac") == "sent -")
            #expect(await simulator.counters().arrivals == 3)
            #expect(fixture.refusals.isEmpty)
        }
    }

    /// If all pushes of a topic are refused, the topic is at fault. Its pushes wait, and other topics continue.
    @Test func stopsTopicAfterThreeJobsWith403OfUnknownReason() async throws {
        try await withFixture { fixture, simulator async throws in
            simulator.answerNext(3, with: PlannedAnswer(status: 403, reason: nil))
            for token in ["aa", "ab", "ac"] {
                let outcome = try await fixture.push(
                    token, #""id":"\#(token)""#, #""topic":"com.example.other""#)
                #expect(outcome == "retry Status403")
            }
            #expect(try await fixture.push("ad", #""topic":"com.example.other""#) == "hold Status403")
            #expect(try await fixture.push("ae") == "sent -")
            #expect(await simulator.counters().arrivals == 4)
            #expect(fixture.refusals.count == 1)
        }
    }

    @Test func holdsPushesAfterGoAwayThatRefusesCredential() async throws {
        try await withFixture { fixture, simulator async throws in
            #expect(try await fixture.push() == "sent -")
            await simulator.sendGoAway(GoAwayFault(reason: "BadCertificateEnvironment"))
            try await eventually("the connection closed") { await simulator.counters().openConnections == 0 }
            #expect(try await fixture.push() == "hold BadCertificateEnvironment")
            #expect(await simulator.counters().connections == 1)
        }
    }

    /// A campaign whose tokens all belong to the other environment is reported, and other pushes are not held.
    @Test func reportsTokensOfWrongEnvironmentWithoutHoldingPushes() async throws {
        try await withFixture { fixture, simulator async throws in
            try fixture.send(to: WireFixture.tokens(200, "0a"))
            try fixture.send(to: WireFixture.tokens(600, "bad00400"))
            await fixture.recorder.wait(for: 800)
            #expect(fixture.tally == ["sent": 200, "rejected BadDeviceToken": 600])
            #expect(simulator.recordedArrivals.values.allSatisfy { $0 == 1 })
            #expect(try await fixture.push("0b") == "sent -")
            #expect(try await fixture.push("bad00400") == "rejected BadDeviceToken")
            try await eventually("601 bad tokens reported: \(fixture.refusals)") {
                fixture.badTokens == ["BadDeviceToken": 601]
            }
            let subject = Refusal.Subject(
                credential: "1", environment: .production, topic: "com.example.shop (device tokens)")
            let reported = fixture.refusals.compactMap { if case .began(let refusal) = $0 { refusal } else { nil } }
            #expect(reported.map(\.subject) == [subject] && reported.first?.reason == "BadDeviceToken")

            // Enough accepted tokens end the refusal.
            try fixture.send(to: WireFixture.tokens(700, "0c"))
            try await eventually("refusal ended: \(fixture.refusals)") { fixture.refusals.last == .ended(subject) }
        }
    }

    /// On a connection, refused pushes finish later than accepted pushes, so refusals of bad tokens come in runs.
    @Test func countsScatteredBadTokensWithoutReportingRefusal() async throws {
        try await withFixture { fixture, _ async throws in
            let lists = ["0a", "bad00400", "bad01400"].map { WireFixture.tokens(3_000, $0) }
            let tokens = (0..<3_000).map { lists[$0 % 50 != 0 ? 0 : $0 % 100 == 0 ? 1 : 2][$0] }
            try fixture.send(to: tokens)
            await fixture.recorder.wait(for: 3_000)
            #expect(
                fixture.tally == [
                    "sent": 2_940, "rejected BadDeviceToken": 30, "rejected DeviceTokenNotForTopic": 30,
                ])
            try await eventually("60 bad tokens reported: \(fixture.refusals)") {
                fixture.badTokens == ["BadDeviceToken": 30, "DeviceTokenNotForTopic": 30]
            }
            #expect(fixture.refusals.allSatisfy { if case .badTokens = $0 { true } else { false } })
        }
    }
}
