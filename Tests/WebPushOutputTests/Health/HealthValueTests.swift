import PushModel
import Testing
import Foundations
import WebPushOutput

@Suite struct KeyTrustTests {
    private static let now: Int64 = 10_000_000

    /// - Parameter provenAgo: the time since a message was accepted, in milliseconds, or `nil` if none was.
    private func verdict(
        isExplained: Bool = false, provenAgo: Int64? = nil, tokenAge: Int64 = 0, isRepeated: Bool = false
    ) -> KeyTrust.Verdict {
        KeyTrust.verdict(
            isExplained: isExplained, acceptedAt: provenAgo.map { Self.now - $0 }, nowMilliseconds: Self.now,
            tokenAgeSeconds: tokenAge, isRepeated: isRepeated)
    }

    @Test(arguments: [nil, 0, 86_400_001] as [Int64?]) func attributesRefusalToKeyThatServiceNames(provenAgo: Int64?) {
        #expect(verdict(isExplained: true, provenAgo: provenAgo) == .keyRefused)
    }

    @Test func renewsOldTokenOnce() {
        #expect(verdict(isExplained: true, tokenAge: 3_600) == .signAgain)
        #expect(verdict(isExplained: true, tokenAge: 3_600, isRepeated: true) == .keyRefused)
        #expect(verdict(isExplained: true, tokenAge: 3_599) == .keyRefused)
        #expect(verdict(tokenAge: 3_600) == .signAgain)
        #expect(verdict(tokenAge: 3_600, isRepeated: true) == .keyInDoubt)
    }

    @Test func attributesRefusalToSubscriptionWhileKeyIsProven() {
        #expect(verdict(provenAgo: 0, tokenAge: 3_600) == .foreignSubscription)
        #expect(verdict(provenAgo: 600_000) == .foreignSubscription, "a service that is used every ten minutes")
        #expect(verdict(provenAgo: 86_400_000) == .foreignSubscription)
        #expect(verdict(provenAgo: 86_400_001) == .keyInDoubt)
        #expect(verdict() == .keyInDoubt, "the service has accepted no message")
    }
}

@Suite struct SendPauseTests {
    /// Returns, for each refused message, whether its refusal begins the pause.
    ///
    /// - Parameter subscriptions: the number of subscriptions to which the messages go in turn.
    private func refusals(
        _ pause: inout SendPause, count: Int, subscriptions: Int = .max, retryAfter: Int32 = 0, at now: Int64 = 0
    ) -> [Bool] {
        (0..<count).map { number in
            pause.refused(
                "Status429", by: number % subscriptions, retryAfterSeconds: retryAfter, nowMilliseconds: now, random: 1)
        }
    }

    @Test func pausesOnlyAfterRefusalsOfTenSubscriptions() {
        var pause = SendPause()
        #expect(!refusals(&pause, count: 100, subscriptions: 1).contains(true))
        #expect(!refusals(&pause, count: 100, subscriptions: 9).contains(true))
        #expect(refusals(&pause, count: 100, subscriptions: 10).contains(true))
    }

    @Test func pausesAtTenthRefusalInARow() {
        var pause = SendPause()
        for _ in 0..<5 {
            let begins = refusals(&pause, count: 9)
            #expect(!begins.contains(true))
            pause.accepted()
        }
        let begins = refusals(&pause, count: 100)
        #expect(begins.firstIndex(of: true) == 9 && begins.count { $0 } == 1, "further refusals change nothing")
        #expect(pause.seconds(nowMilliseconds: 0) == 5)
        #expect(pause.seconds(nowMilliseconds: 4_999) == 1)
        #expect(pause.seconds(nowMilliseconds: 5_000) == nil)
    }

    @Test func keepsLongerPause() {
        var pause = SendPause()
        pause.begin("Status429", retryAfterSeconds: 120, nowMilliseconds: 0, random: 1)
        pause.begin("Status503", retryAfterSeconds: 10, nowMilliseconds: 1_000, random: 1)
        #expect(pause.seconds(nowMilliseconds: 1_000) == 119 && pause.reason == "Status429")
        pause.begin("Status503", retryAfterSeconds: 300, nowMilliseconds: 2_000, random: 1)
        #expect(pause.seconds(nowMilliseconds: 2_000) == 300 && pause.reason == "Status503")
    }

    @Test func extendsPauseEachTimeAndFollowsRetryAfter() {
        var pause = SendPause()
        var now: Int64 = 0
        func hit(_ retryAfter: Int32) -> Int32? {
            _ = refusals(&pause, count: 10, retryAfter: retryAfter, at: now)
            defer { now += 1_000_000 }
            return pause.seconds(nowMilliseconds: now)
        }
        let own = [hit(0), hit(0), hit(0)]
        #expect(own == [5, 10, 20])
        let theirs = [hit(120), hit(86_400)]
        #expect(theirs == [120, 900], "a Retry-After of a day is limited to 15 minutes")
        pause.accepted()
        let after = hit(0)
        #expect(after == 5)
    }
}

@Suite struct RefusalFilterTests {
    @Test func reportsEachRefusalOnce() {
        final class Told: Sendable {
            let events = Mutex<[Refusal.Event]>([])
        }
        let reported = Told()
        let filter = RefusalFilter { event in reported.events.withLock { $0.append(event) } }
        let subject = Refusal.Subject(credential: "1", environment: .production, topic: "push.example.com")
        let began = Refusal.Event.began(
            Refusal(subject: subject, reason: "BadJwtToken", since: Timestamp(seconds: 1)))
        for _ in 0..<3 { filter.take(began) }
        for _ in 0..<2 { filter.take(.ended(subject)) }
        #expect(reported.events.withLock { $0 } == [began], "one event loop still sees the refusal")
        filter.take(.ended(subject))
        #expect(reported.events.withLock { $0 } == [began, .ended(subject)])
        filter.take(began)
        #expect(reported.events.withLock { $0.count } == 3)
    }
}
