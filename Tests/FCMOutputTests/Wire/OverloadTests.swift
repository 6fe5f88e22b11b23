import FCMOutput
import FCMSimulator
import PushModel
import PushTestSupport
import TestSupport
import Testing
import Foundations

/// Exhausted quotas of a project, and overload of FCM itself.
@Suite struct OverloadTests {
    @Test func holdsMessagesOfProjectWithExhaustedQuota() async throws {
        let simulator = try await SimulatedFCM.started {
            $0.quota.messages = 50
            $0.quota.sendsRetryAfter = false
        }
        let fixture = try FCMFixture(simulator) { $0.maximumConnections = 1 }
        let start = ContinuousClock.now
        try fixture.send(to: FCMFixture.tokens(2_000))
        await fixture.recorder.wait(for: 2_000)
        let elapsed = start.elapsedSeconds
        // Messages on the wire are refused. All others are held for the minute that Google asks for, and use no
        // attempt.
        #expect(fixture.tally["sent"] == 50)
        let refused = fixture.recorder.outcomes.filter { $0.verdict == .retry && $0.reason == "QUOTA_EXCEEDED" }
        let held = fixture.recorder.outcomes.filter { $0.verdict == .hold }
        #expect((1...100).contains(refused.count) && held.count == 1_950 - refused.count, "\(fixture.tally)")
        #expect((refused + held).allSatisfy { (59 - elapsed...60).contains($0.retryAfterSeconds) })
        #expect(fixture.refusals == [])
        #expect(simulator.recordedAcceptances.count == 50 && simulator.violations.isEmpty)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func holdsMessagesForRetryAfterOnOverload() async throws {
        let simulator = try await SimulatedFCM.started()
        let fixture = try FCMFixture(simulator)
        simulator.answerNext(1, with: PlannedFCMAnswer(.unavailable, retryAfter: 600))
        let start = ContinuousClock.now
        let first = try #require(try await fixture.push(#""a:APA91b""#)),
            second = try #require(try await fixture.push(#""b:APA91b""#))
        #expect(first.verdict == .retry && first.retryAfterSeconds == 600)
        #expect(second.verdict == .hold)
        #expect((599 - start.elapsedSeconds...600).contains(second.retryAfterSeconds), "\(second)")
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func waitsInWorkerForShortRetryAfter() async throws {
        let simulator = try await SimulatedFCM.started()
        let fixture = try FCMFixture(simulator)
        simulator.answerNext(1, with: PlannedFCMAnswer(.unavailable, retryAfter: 1))
        let first = try #require(try await fixture.push(#""a:APA91b""#)),
            second = try #require(try await fixture.push(#""b:APA91b""#))
        #expect(first.verdict == .retry && second.verdict == .sent)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    /// The wait applies to the whole project, regardless of the service account that got the answer.
    @Test func holdsAllCredentialsOfProject() async throws {
        let simulator = try await SimulatedFCM.started()
        let fixture = try FCMFixture(simulator)
        let other = try fixture.otherCredential(at: simulator)
        #expect(try await fixture.push(#""a:APA91b""#, with: other)?.verdict == .sent)
        simulator.answerNext(1, with: PlannedFCMAnswer(.quotaExceeded, retryAfter: 600))
        let start = ContinuousClock.now
        #expect(try await fixture.push(#""b:APA91b""#)?.verdict == .retry)
        let outcome = try #require(try await fixture.push(#""c:APA91b""#, with: other))
        #expect(outcome.verdict == .hold)
        #expect((599 - start.elapsedSeconds...600).contains(outcome.retryAfterSeconds), "\(outcome)")
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func delaysOnlyTopicWhenTopicQuotaIsExceeded() async throws {
        let simulator = try await SimulatedFCM.started()
        let fixture = try FCMFixture(simulator)
        simulator.answerNext(1, with: PlannedFCMAnswer(.quotaExceeded))
        let broadcast = try #require(try await fixture.push(#"{"topic":"news"}"#))
        #expect(broadcast.verdict == .retry && broadcast.retryAfterSeconds == 60)
        #expect(try await fixture.push(#""b:APA91b""#)?.verdict == .sent)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    /// When a credential is retired, messages that wait for the quota are returned as well, and the pool is closed.
    @Test func returnsMessagesThatWaitForQuotaOnRetirement() async throws {
        let simulator = try await SimulatedFCM.started()
        let fixture = try FCMFixture(simulator) { $0.quotaPerMinute = 600 }
        let start = ContinuousClock.now
        try fixture.send(to: FCMFixture.tokens(500))
        await fixture.recorder.wait(for: 3)
        fixture.output.credentialsChanged(to: [fixture.credential.id])
        fixture.output.credentialsChanged(to: [])
        await fixture.recorder.wait(for: 500)
        let sent = fixture.tally["sent"] ?? 0
        // Ten messages per second, plus the initial burst.
        let most = 10 * (Int(start.elapsedSeconds) + 1) + 10
        #expect((3...most).contains(sent) && fixture.tally["returned", default: 0] == 500 - sent, "\(fixture.tally)")
        #expect(await simulator.counters().connections <= 4)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    /// The project may send ten messages per second, and the worker holds a minute's worth of bulk messages.
    @Test func sendsUrgentMessagesBeforeWaitingBulk() async throws {
        let simulator = try await SimulatedFCM.started()
        let fixture = try FCMFixture(simulator) { $0.quotaPerMinute = 600 }
        try fixture.send(to: FCMFixture.tokens(1_000, "bulk"), in: .bulk)
        // Messages beyond a minute's quota are held in the broker.
        await fixture.recorder.wait(for: 420)
        let start = ContinuousClock.now
        let before = fixture.tally["sent"] ?? 0
        try fixture.send(to: FCMFixture.tokens(5, "urgent"), in: .urgent)
        // The limit allows for one burst and for bulk messages that are sent before all urgent ones are queued.
        let most = 10 * Int(start.elapsedSeconds) + 30
        try await eventually("urgent messages are sent") {
            fixture.recorder.outcomes.count { $0.verdict == .sent && $0.job.lane == .urgent } == 5
        }
        let sent = fixture.recorder.outcomes.filter { $0.verdict == .sent }.map(\.job.lane)
        let bulk = sent[..<(sent.lastIndex(of: .urgent) ?? 0)].count { $0 == .bulk } - before
        #expect(bulk < most, "\(bulk) bulk messages left before the last urgent one")
        fixture.output.stopSending()
        await fixture.output.shutDown()
        await simulator.stop()
    }

    /// The number of workers is known shortly after the first message. Until then no message is held in the broker.
    @Test func waitsUntilShareOfQuotaIsKnown() async throws {
        let simulator = try await SimulatedFCM.started()
        let fixture = try FCMFixture(simulator, quotas: LateShares()) { $0.quotaPerMinute = 60_000 }
        try fixture.send(to: FCMFixture.tokens(20_000), in: .bulk)
        await fixture.recorder.wait(for: 500)
        #expect(fixture.tally.keys.sorted() == ["sent"], "\(fixture.tally)")
        fixture.output.stopSending()
        await fixture.output.shutDown()
        await simulator.stop()
    }
}

/// A fleet whose size is unknown for the first ten requests.
private final class LateShares: QuotaShares {
    private let asked = Mutex(0)

    func workers(sharing name: String) -> Int? {
        asked.withLock { asked in
            asked += 1
            return asked > 10 ? 1 : nil
        }
    }
}

extension ContinuousClock.Instant {
    /// The time since this instant, in seconds, rounded up.
    fileprivate var elapsedSeconds: Int32 { Int32((ContinuousClock.now - self).components.seconds + 1) }
}
