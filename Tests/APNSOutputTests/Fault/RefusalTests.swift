import APNSOutput
import APNSSimulator
import Foundation
import PushModel
import PushTestSupport
import TestSupport
import Testing

/// Credentials, topics and tokens that APNs refuses, over TLS: what is not sent, what is found out, and who is told.
@Suite struct RefusalTests {
    private func withFixture(
        knowsKey: Bool = true, breakMilliseconds: Int64 = 60_000,
        _ body: (WireFixture, APNSSimulator) async throws -> Void
    ) async throws {
        let simulator = try await WireFixture.startedSimulator()
        let fixture = try WireFixture(simulator) { $0.breakMilliseconds = breakMilliseconds }
        if knowsKey { try fixture.register(at: simulator) }
        try await body(fixture, simulator)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func aRefusedCredentialIsLeftAloneUntilItIsMended() async throws {
        try await withFixture(knowsKey: false, breakMilliseconds: 10_000) { fixture, simulator async throws in
            #expect(try await fixture.push() == "hold InvalidProviderToken")
            try fixture.send(to: WireFixture.tokens(500))
            await fixture.recorder.wait(for: 501, atMost: .seconds(60))
            #expect(fixture.tally == ["hold InvalidProviderToken": 501])
            #expect(fixture.recorder.outcomes.dropFirst().allSatisfy { [30, 120].contains($0.retryAfterSeconds) })
            #expect(await simulator.counters().arrivals == 1, "nothing was sent but the first")
            #expect(fixture.refusals.count == 1)

            try fixture.register(at: simulator)
            try await eventually("a probe is let through") { try await fixture.push() == "sent -" }
            let arrivals = await simulator.counters().arrivals
            try fixture.send(to: WireFixture.tokens(100))
            try await eventually("all sent") { await simulator.counters().arrivals == arrivals + 100 }
            #expect(fixture.refusals.count == 2)
            let subject = Refusal.Subject(credential: "1", environment: .production, topic: nil)
            #expect(fixture.refusals.last == .ended(subject))
        }
    }

    @Test func whileItIsRefusedOnlyProbesAreSent() async throws {
        try await withFixture(knowsKey: false, breakMilliseconds: 300) { fixture, simulator async throws in
            let start = ContinuousClock.now
            for _ in 0..<50 {
                #expect(try await fixture.push() == "hold InvalidProviderToken")
                try await Task.sleep(for: .milliseconds(20))  // why: a second of pushes, as they come
            }
            // After 0, 0.3, 0.9, 2.1, 4.5 … seconds; a tenth of it is chance.
            let periods = (ContinuousClock.now - start) / .milliseconds(270)
            #expect(await simulator.counters().arrivals <= 1 + Int(log2(periods + 1)))
        }
    }

    @Test func whatAppleAsksNeverToResendHasFailed() async throws {
        try await withFixture { fixture, simulator async throws in
            simulator.answerNext(1, with: PlannedAnswer(.forbidden))
            #expect(try await fixture.push() == "failed Forbidden")
            #expect(try await fixture.push() == "hold Forbidden")
            #expect(await simulator.counters().arrivals == 1)
        }
    }

    @Test func aTopicThatIsDisallowedHoldsUpNoOther() async throws {
        // Pushes in the last 5 s of a break wait for the probe's answer.
        try await withFixture(breakMilliseconds: 30_000) { fixture, simulator async throws in
            simulator.answerNext(1, with: PlannedAnswer(.topicDisallowed))
            #expect(try await fixture.push("aa", #""topic":"com.example.other""#) == "hold TopicDisallowed")
            #expect(try await fixture.push("ab", #""topic":"com.example.other""#) == "hold TopicDisallowed")
            #expect(try await fixture.push("ac") == "sent -")
            #expect(await simulator.counters().arrivals == 2)
            let subject = Refusal.Subject(
                credential: "1", environment: .production, topic: "com.example.other")
            guard case .began(let refusal) = fixture.refusals.first else {
                Issue.record("\(fixture.refusals)")
                return
            }
            #expect(refusal.subject == subject && refusal.reason == "TopicDisallowed")
            try await eventually("its probe is let through") {
                try await fixture.push("ad", #""topic":"com.example.other""#) == "sent -"
            }
            #expect(fixture.refusals.last == .ended(subject))
        }
    }

    /// A 403 with a reason that Apple adds later, or with none, may be about one push alone.
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

    /// If all pushes of a topic are refused, the topic is at fault: its pushes wait, and other topics continue.
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

    @Test func aGoAwayThatRefusesTheCredentialHoldsIt() async throws {
        try await withFixture { fixture, simulator async throws in
            #expect(try await fixture.push() == "sent -")
            await simulator.sendGoAway(GoAwayFault(reason: "BadCertificateEnvironment"))
            try await eventually("the connection has gone") { await simulator.counters().openConnections == 0 }
            #expect(try await fixture.push() == "hold BadCertificateEnvironment")
            #expect(await simulator.counters().connections == 1)
        }
    }

    /// A campaign with every token of the other environment: told, and nobody waits for it.
    @Test func aMixUpOfEnvironmentsHoldsNobodyAndIsTold() async throws {
        try await withFixture { fixture, simulator async throws in
            try fixture.send(to: WireFixture.tokens(200, "0a"))
            try fixture.send(to: WireFixture.tokens(600, "bad00400"))
            await fixture.recorder.wait(for: 800, atMost: .seconds(60))
            #expect(fixture.tally == ["sent": 200, "rejected BadDeviceToken": 600])
            #expect(simulator.recordedArrivals.values.allSatisfy { $0 == 1 })
            #expect(try await fixture.push("0b") == "sent -")
            #expect(try await fixture.push("bad00400") == "rejected BadDeviceToken")
            try await eventually("told: \(fixture.refusals)") { fixture.badTokens == ["BadDeviceToken": 601] }
            let subject = Refusal.Subject(
                credential: "1", environment: .production, topic: "com.example.shop (device tokens)")
            let told = fixture.refusals.compactMap { if case .began(let refusal) = $0 { refusal } else { nil } }
            #expect(told.map(\.subject) == [subject] && told.first?.reason == "BadDeviceToken")

            // Diluted by good ones, it is over.
            try fixture.send(to: WireFixture.tokens(700, "0c"))
            try await eventually("told: \(fixture.refusals)") { fixture.refusals.last == .ended(subject) }
        }
    }

    /// Refusals finish after acceptances on a connection, so bad tokens come in rows.
    @Test func badTokensAmongGoodOnesAreRejectedAndNothingElse() async throws {
        try await withFixture { fixture, _ async throws in
            let lists = ["0a", "bad00400", "bad01400"].map { WireFixture.tokens(3_000, $0) }
            let tokens = (0..<3_000).map { lists[$0 % 50 != 0 ? 0 : $0 % 100 == 0 ? 1 : 2][$0] }
            try fixture.send(to: tokens)
            await fixture.recorder.wait(for: 3_000, atMost: .seconds(60))
            #expect(
                fixture.tally == [
                    "sent": 2_940, "rejected BadDeviceToken": 30, "rejected DeviceTokenNotForTopic": 30,
                ])
            try await eventually("told: \(fixture.refusals)") {
                fixture.badTokens == ["BadDeviceToken": 30, "DeviceTokenNotForTopic": 30]
            }
            #expect(fixture.refusals.allSatisfy { if case .badTokens = $0 { true } else { false } })
        }
    }
}
