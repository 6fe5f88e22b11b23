import PushSending
import Testing

@Suite struct BreakerTests {
    /// Something that an expectation can change.
    private final class Held {
        var breaker = Breaker()

        func refused(_ reason: String, nowMilliseconds now: Int64, random: Double) -> Bool {
            breaker.refused(reason, nowMilliseconds: now, random: random)
        }

        func admit(nowMilliseconds now: Int64) -> Breaker.Admission { breaker.admit(nowMilliseconds: now) }

        func probeWasNone() { breaker.probeWasNone() }

        func succeeded() -> Bool { breaker.succeeded() }
    }

    private func opened() -> Held {
        let held = Held()
        #expect(held.refused("InvalidProviderToken", nowMilliseconds: 0, random: 0.999))
        return held
    }

    @Test func aClosedOneLetsEverythingThrough() {
        let held = Held()
        #expect(held.breaker.isClosed && held.breaker.reason == nil)
        #expect(!held.breaker.holds(nowMilliseconds: 0))
        #expect(held.admit(nowMilliseconds: 0) == .pass)
        #expect(!held.succeeded())
    }

    @Test func anOpenOneLetsNothingThroughUntilItsTimeIsOver() {
        let held = opened()
        #expect(held.breaker.reason == "InvalidProviderToken")
        #expect(held.admit(nowMilliseconds: 14_900) == .hold)
        #expect(held.admit(nowMilliseconds: 15_000) == .probe)
        #expect(held.admit(nowMilliseconds: 15_001) == .hold, "one probe at a time")
    }

    @Test func chanceBringsTheProbeForwardByATenthAtMost() {
        let held = Held()
        _ = held.refused("r", nowMilliseconds: 0, random: 0)
        #expect(held.breaker.holds(nowMilliseconds: 13_499))
        #expect(!held.breaker.holds(nowMilliseconds: 13_500))
    }

    @Test func whatWasUnderWayWhenItOpenedChangesNothing() {
        let held = opened()
        #expect(!held.refused("InvalidProviderToken", nowMilliseconds: 14_000, random: 0.999))
        #expect(held.admit(nowMilliseconds: 15_000) == .probe)
    }

    @Test func eachRefusedProbeDoublesTheTimeUpToAQuarterOfAnHour() {
        let held = opened()
        var now: Int64 = 0
        var times: [Int64] = []
        for _ in 0..<9 {
            times.append(held.breaker.openMilliseconds / 1000)
            now += held.breaker.openMilliseconds
            #expect(held.admit(nowMilliseconds: now) == .probe)
            #expect(!held.refused("Forbidden", nowMilliseconds: now, random: 0.999), "it was not closed")
        }
        #expect(times == [15, 30, 60, 120, 240, 480, 900, 900, 900])
        #expect(held.breaker.reason == "Forbidden")
        #expect(held.breaker.holdSeconds == 120)
    }

    @Test func aSuccessClosesItAndTheNextTimeIsShortAgain() {
        let held = opened()
        #expect(held.breaker.holdSeconds == 30)
        _ = held.admit(nowMilliseconds: 15_000)
        _ = held.refused("r", nowMilliseconds: 15_000, random: 0)
        #expect(held.succeeded())
        #expect(held.admit(nowMilliseconds: 15_001) == .pass)
        #expect(held.refused("r", nowMilliseconds: 20_000, random: 0.999))
        #expect(held.breaker.openMilliseconds == 15_000)
    }

    @Test func whatIsRefusedAfterItsTimeOpensItAnew() {
        let held = opened()
        #expect(!held.refused("NoAnswer", nowMilliseconds: 15_000, random: 0.999), "it was not closed")
        #expect(held.breaker.reason == "NoAnswer")
        #expect(held.admit(nowMilliseconds: 44_900) == .hold)
        #expect(held.admit(nowMilliseconds: 45_000) == .probe)
    }

    @Test func aProbeThatFoundOutNothingIsFollowedAtOnce() {
        let held = opened()
        held.probeWasNone()
        #expect(held.admit(nowMilliseconds: 14_900) == .hold, "there was none")
        #expect(held.admit(nowMilliseconds: 15_000) == .probe)
        held.probeWasNone()
        #expect(held.admit(nowMilliseconds: 15_001) == .probe)
        _ = held.refused("r", nowMilliseconds: 15_002, random: 0.999)
        held.probeWasNone()
        #expect(held.admit(nowMilliseconds: 44_900) == .hold, "it had been heard of")
        _ = held.succeeded()
        held.probeWasNone()
        #expect(held.breaker.isClosed)
    }

    @Test func aProbeThatIsNeverAnsweredIsFollowedByAnother() {
        let held = opened()
        _ = held.admit(nowMilliseconds: 15_000)
        #expect(held.admit(nowMilliseconds: 74_999) == .hold)
        #expect(held.admit(nowMilliseconds: 75_000) == .probe)
    }
}
