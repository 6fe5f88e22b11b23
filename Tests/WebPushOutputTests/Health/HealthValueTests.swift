import PushModel
import Testing
import Threading
import WebPushOutput

@Suite struct KeyTrustTests {
    /// What becomes of so many refusals in a row.
    private func verdicts(
        _ trust: inout KeyTrust, count: Int = 1, isExplained: Bool = false, isProven: Bool = true,
        tokenAge: Int64 = 0, isRepeated: Bool = false
    ) -> [KeyTrust.Verdict] {
        (0..<count).map { _ in
            trust.refused(
                isExplained: isExplained, isProven: isProven, tokenAgeSeconds: tokenAge, isRepeated: isRepeated)
        }
    }

    @Test func aRefusalInSoManyWordsIsTheKeys() {
        var trust = KeyTrust()
        trust.accepted()
        let verdicts = verdicts(&trust, isExplained: true)
        #expect(verdicts == [.keyRefused])
    }

    @Test func anOldTokenIsMadeAnewOnce() {
        var trust = KeyTrust()
        let verdicts =
            verdicts(&trust, isExplained: true, tokenAge: 3_600)
            + verdicts(&trust, isExplained: true, tokenAge: 3_600, isRepeated: true)
            + verdicts(&trust, isExplained: true, tokenAge: 3_599)
        #expect(verdicts == [.signAgain, .keyRefused, .keyRefused])
    }

    @Test func anUnexplainedRefusalIsTheSubscriptionsWhileOthersAreAccepted() {
        var trust = KeyTrust()
        var all = verdicts(&trust, isProven: false)
        #expect(all == [.keyRefused], "nobody was accepted before")
        for _ in 0..<3 {
            trust.accepted()
            all = verdicts(&trust, count: KeyTrust.mostForeign)
            #expect(all.allSatisfy { $0 == .foreignSubscription })
        }
        all = verdicts(&trust, count: 2)
        #expect(all == [.keyRefused, .keyRefused], "until one is accepted again")
        trust.accepted()
        all = verdicts(&trust)
        #expect(all == [.foreignSubscription])
    }
}

@Suite struct BrakeTests {
    /// Which of so many refusals begin the brake.
    private func refusals(_ brake: inout Brake, count: Int, retryAfter: Int32 = 0, at now: Int64 = 0) -> [Bool] {
        (0..<count).map { _ in
            brake.refused("Status429", retryAfterSeconds: retryAfter, nowMilliseconds: now, random: 1)
        }
    }

    @Test func theThirdInARowBegins() {
        var brake = Brake()
        for _ in 0..<5 {
            let begins = refusals(&brake, count: 2)
            #expect(begins == [false, false])
            brake.accepted()
        }
        let begins = refusals(&brake, count: 100)
        #expect(begins == [false, false, true] + Array(repeating: false, count: 97), "the rest was under way")
        #expect(brake.seconds(nowMilliseconds: 0) == 5)
        #expect(brake.seconds(nowMilliseconds: 4_999) == 1)
        #expect(brake.seconds(nowMilliseconds: 5_000) == nil)
    }

    @Test func itLastsLongerEachTimeAndAsLongAsTheServiceSays() {
        var brake = Brake()
        var now: Int64 = 0
        func hit(_ retryAfter: Int32) -> Int32? {
            _ = refusals(&brake, count: 3, retryAfter: retryAfter, at: now)
            defer { now += 1_000_000 }
            return brake.seconds(nowMilliseconds: now)
        }
        let own = [hit(0), hit(0), hit(0)]
        #expect(own == [5, 10, 20])
        let theirs = [hit(120), hit(86_400)]
        #expect(theirs == [120, 900], "nobody waits for a day")
        brake.accepted()
        let after = hit(0)
        #expect(after == 5)
    }
}

@Suite struct RefusalDeskTests {
    @Test func eachRefusalIsToldOnce() {
        final class Told: Sendable {
            let events = Mutex<[Refusal.Event]>([])
        }
        let told = Told()
        let desk = RefusalDesk { event in told.events.withLock { $0.append(event) } }
        let subject = Refusal.Subject(credential: "1", environment: .production, topic: "push.example.com")
        let began = Refusal.Event.began(
            Refusal(subject: subject, reason: "BadJwtToken", since: Timestamp(seconds: 1)))
        for _ in 0..<3 { desk.take(began) }
        for _ in 0..<2 { desk.take(.ended(subject)) }
        #expect(told.events.withLock { $0 } == [began], "it is refused on one event loop still")
        desk.take(.ended(subject))
        #expect(told.events.withLock { $0 } == [began, .ended(subject)])
        desk.take(began)
        #expect(told.events.withLock { $0.count } == 3)
    }
}
