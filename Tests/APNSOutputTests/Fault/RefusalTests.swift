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
        try await withFixture(knowsKey: false, breakMilliseconds: 3_000) { fixture, simulator async throws in
            #expect(try await fixture.push() == "hold InvalidProviderToken")
            try fixture.send(to: WireFixture.tokens(500))
            await fixture.recorder.wait(for: 501, atMost: .seconds(60))
            #expect(fixture.tally == ["hold InvalidProviderToken": 501])
            #expect(fixture.recorder.outcomes.dropFirst().allSatisfy { $0.retryAfterSeconds == 30 })
            #expect(await simulator.counters().arrivals == 1, "nothing was sent but the first")
            #expect(fixture.refusals.count == 1)

            try fixture.register(at: simulator)
            try await eventually("a probe is let through") { try await fixture.push() == "sent -" }
            let arrivals = await simulator.counters().arrivals
            try fixture.send(to: WireFixture.tokens(100))
            try await eventually("all sent") { await simulator.counters().arrivals == arrivals + 100 }
            #expect(fixture.refusals.count == 2)
            let subject = APNSRefusal.Subject(credential: "1", environment: .production, topic: nil)
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
        try await withFixture(breakMilliseconds: 3_000) { fixture, simulator async throws in
            simulator.answerNext(1, with: PlannedAnswer(.topicDisallowed))
            #expect(try await fixture.push("aa", #""topic":"com.example.other""#) == "hold TopicDisallowed")
            #expect(try await fixture.push("ab", #""topic":"com.example.other""#) == "hold TopicDisallowed")
            #expect(try await fixture.push("ac") == "sent -")
            #expect(await simulator.counters().arrivals == 2)
            let subject = APNSRefusal.Subject(
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

    @Test func aGoAwayThatRefusesTheCredentialHoldsIt() async throws {
        try await withFixture { fixture, simulator async throws in
            #expect(try await fixture.push() == "sent -")
            await simulator.sendGoAway(GoAwayFault(reason: "BadCertificateEnvironment"))
            try await eventually("the connection has gone") { await simulator.counters().openConnections == 0 }
            #expect(try await fixture.push() == "hold BadCertificateEnvironment")
            #expect(await simulator.counters().connections == 1)
        }
    }

    @Test func aMixUpOfEnvironmentsMarksNothingAndIsHeld() async throws {
        try await withFixture { fixture, simulator async throws in
            try fixture.send(to: WireFixture.tokens(200, "0a"))
            await fixture.recorder.wait(for: 200, atMost: .seconds(60))
            try fixture.send(to: WireFixture.tokens(300, "bad00400"))
            await fixture.recorder.wait(for: 500, atMost: .seconds(60))
            let wrong = fixture.recorder.outcomes.filter { $0.verdict != .sent }
            #expect(wrong.count == 300)
            #expect(wrong.allSatisfy { $0.reason == "BadDeviceToken" && !$0.marksToken })
            #expect(try await fixture.push("bad00400") == "hold BadDeviceToken")
            #expect(fixture.refusals.count == 1)
            // Never sent again: each arrived at most once.
            #expect(simulator.recordedArrivals.values.allSatisfy { $0 == 1 })
        }
    }

    @Test func aBadTokenAmongGoodOnesIsMarked() async throws {
        try await withFixture { fixture, _ async throws in
            let bad = WireFixture.tokens(3, "bad00400") + WireFixture.tokens(2, "bad01400")
            try fixture.send(to: WireFixture.tokens(40, "0a") + bad + WireFixture.tokens(40, "0b"))
            await fixture.recorder.wait(for: 85, atMost: .seconds(60))
            let refused = fixture.recorder.outcomes.filter { $0.verdict == .rejected }
            #expect(refused.count == 5)
            #expect(refused.allSatisfy { $0.marksToken })
            #expect(fixture.tally["sent"] == 80)
            #expect(fixture.refusals.isEmpty)
        }
    }

    @Test func aBadTokenAloneIsNotMarked() async throws {
        try await withFixture { fixture, _ async throws in
            try fixture.send(to: WireFixture.tokens(40, "0a"))
            await fixture.recorder.wait(for: 40, atMost: .seconds(60))
            #expect(try await fixture.push("bad00400") == "rejected BadDeviceToken")
            #expect(fixture.recorder.outcomes.last?.marksToken == false)
        }
    }
}
