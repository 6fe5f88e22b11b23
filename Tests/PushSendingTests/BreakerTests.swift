import PushSending
import Testing

@Suite struct BreakerTests {
    /// A class that wraps the breaker, so that expectations can call its mutating methods.
    private final class Held {
        var breaker = Breaker()

        func stated(
            _ reason: String = "InvalidProviderToken", job: Int = 1, push: Int = 0, written: Int64, at now: Int64
        ) -> Breaker.Conclusion {
            let push = PushIdentity(job: job, address: job * 1_000 + push)
            return breaker.refused(reason, .stated(push), writtenAt: written, nowMilliseconds: now, random: 1)
        }

        func ambiguous(job: Int, push: Int = 0, written: Int64, at now: Int64) -> Breaker.Conclusion {
            let push = PushIdentity(job: job, address: job * 1_000 + push)
            return breaker.refused(
                "Status403", .ambiguous(push), writtenAt: written, nowMilliseconds: now, random: 1)
        }

        func accepted(written: Int64, at now: Int64) -> Bool {
            breaker.accepted(writtenAt: written, nowMilliseconds: now)
        }

        func silent(at now: Int64, random: Double) -> Bool {
            breaker.refused("NoAnswer", nowMilliseconds: now, random: random)
        }

        func succeeded() -> Bool { breaker.succeeded() }

        func admit(at now: Int64) -> Breaker.Admission { breaker.admit(nowMilliseconds: now) }
    }

    private func opened() -> Held {
        let held = Held()
        #expect(held.stated(written: 0, at: 10) == .refused(isNew: true))
        return held
    }

    @Test func passesAllPushesWhenClosed() {
        let held = Held()
        #expect(held.breaker.isClosed && !held.breaker.isRefused && held.breaker.reason == nil)
        #expect(held.admit(at: 0) == .pass)
        #expect(!held.accepted(written: 0, at: 1))
        #expect(!held.succeeded())
    }

    // MARK: Stated refusals

    @Test func opensOnStatedRefusal() {
        let held = opened()
        #expect(held.breaker.reason == "InvalidProviderToken" && held.breaker.isRefused)
        #expect(held.admit(at: 10_000) == .hold)
        #expect(held.admit(at: 10_010) == .wait, "pushes wait in the last 5 seconds")
        #expect(held.admit(at: 15_009) == .wait)
        #expect(held.admit(at: 15_010) == .probe)
        #expect(held.admit(at: 15_011) == .wait, "one probe at a time")
    }

    @Test func shortensOpenTimeByAtMostOneTenth() {
        let held = Held()
        #expect(held.silent(at: 0, random: 0))
        #expect(held.breaker.holds(nowMilliseconds: 13_499))
        #expect(!held.breaker.holds(nowMilliseconds: 13_500))
    }

    @Test func countsRefusalsOfRequestsOnTheWireOnce() {
        let held = opened()
        for number in 1...300 { #expect(held.stated(written: Int64(number % 10), at: 20) == .refused(isNew: false)) }
        #expect(held.breaker.openMilliseconds == 15_000)
        #expect(held.admit(at: 15_010) == .probe)
        #expect(held.stated(written: 9, at: 15_020) == .refused(isNew: false), "a late answer to an earlier request")
        #expect(held.admit(at: 15_021) == .wait, "the probe is still on the wire")
    }

    @Test func doublesOpenTimeWithEachRefusedProbeUpTo15Minutes() {
        let held = opened()
        var now: Int64 = 10
        var times: [Int64] = []
        var holds: [Int32] = []
        for _ in 0..<9 {
            times.append(held.breaker.openMilliseconds / 1000)
            holds += [0, 0.49, 0.5].map { held.breaker.holdSeconds(random: $0) }
            now += held.breaker.openMilliseconds
            #expect(held.admit(at: now) == .probe)
            held.breaker.probeWasNone()
            #expect(held.stated("Forbidden", written: now, at: now + 1) == .refused(isNew: false))
            now += 1
        }
        #expect(times == [15, 30, 60, 120, 240, 480, 900, 900, 900])
        let spread = [[30, 30, 30], [30, 30, 120], [120, 120, 900]] as [[Int32]]
        #expect(holds == [0, 0, 1, 1, 2, 2, 2, 2, 2].flatMap { spread[$0] })
        #expect(held.breaker.reason == "Forbidden")
    }

    @Test func holdsRefusedPushesLongerThanOthers() {
        let held = opened()
        #expect(held.breaker.refusedHoldSeconds == 120 && held.breaker.holdSeconds(random: 0.9) == 30)
        for start in [15_100, 60_000] as [Int64] { _ = held.stated(written: start, at: start + 1) }
        #expect(held.breaker.refusedHoldSeconds == 900 && held.breaker.holdSeconds(random: 0.9) == 120)
    }

    @Test func ignoresStatedRefusalIfLaterRequestWasAccepted() {
        let held = Held()
        #expect(!held.accepted(written: 5, at: 8))
        #expect(held.stated(written: 4, at: 9) == .requestAtFault)
        #expect(held.breaker.isClosed)
    }

    /// Reproduces an attack: one recipient's stated refusal held all apps of a credential, again and again.
    @Test func staysClosedForRepeatedStatedRefusalOfOnePush() {
        let held = Held()
        for number in 0..<100 as Range<Int64> {
            _ = held.accepted(written: number * 30_000, at: number * 30_000 + 5)
            #expect(held.stated(written: number * 30_000 + 10, at: number * 30_000 + 20) == .requestAtFault)
            #expect(held.breaker.isClosed)
        }
    }

    @Test func opensAfterStatedRefusalsInARowDespiteRecentAcceptance() {
        let jobs = Held()
        _ = jobs.accepted(written: 0, at: 5)
        for job in 1...2 { #expect(jobs.stated(job: job, written: 10, at: 2_000) == .requestAtFault) }
        #expect(jobs.stated(job: 1, written: 2_001, at: 2_002) == .requestAtFault, "the push was refused before")
        #expect(jobs.stated(job: 3, written: 2_001, at: 2_002) == .refused(isNew: true))
        let pushes = Held()
        _ = pushes.accepted(written: 0, at: 5)
        for push in 0..<9 { #expect(pushes.stated(push: push, written: 10, at: 2_000) == .requestAtFault) }
        #expect(pushes.stated(push: 9, written: 10, at: 2_000) == .refused(isNew: true))
    }

    /// The provider refuses many pushes of one job and accepts pushes of another app between them.
    @Test func staysClosedForManyStatedRefusalsBetweenAcceptedPushes() {
        let held = Held()
        for second in 0..<60 as Range<Int64> {
            let now = second * 900
            _ = held.accepted(written: now, at: now + 5)
            for push in 0..<30 {
                #expect(held.stated(push: push, written: now + 6, at: now + 890) == .requestAtFault)
            }
        }
    }

    /// A revoked key with little traffic: the only push is refused again whenever it is retried.
    @Test func opensAfterTenSecondsOfStatedRefusalsDespiteRecentAcceptance() {
        let held = Held()
        _ = held.accepted(written: 0, at: 5)
        for written in [10, 5_000, 10_019] as [Int64] {
            #expect(held.stated(written: written, at: written + 10) == .requestAtFault)
        }
        #expect(held.stated(written: 10_020, at: 10_030) == .refused(isNew: true))
    }

    /// Reproduces an attack: one push was reported as a refused credential while other apps' pushes were accepted.
    @Test func staysClosedForOnePushWhileOthersAreAccepted() {
        var breaker = Breaker()
        func refused(_ job: Int, at now: Int64) -> Breaker.Conclusion {
            breaker.refused(
                "r", .stated(PushIdentity(job: job, address: job), isAlone: true), writtenAt: now - 1,
                nowMilliseconds: now, random: 1)
        }
        for time in [10, 40_000, 200_000] as [Int64] { #expect(refused(1, at: time) == .requestAtFault) }
        #expect(refused(2, at: 200_001) == .requestAtFault)
        #expect(refused(3, at: 200_002) == .refused(isNew: true), "three jobs in a row are evidence about their app")
    }

    @Test func forgetsStatedRefusalsWhenAPushIsAccepted() {
        let held = Held()
        for job in 1...30 {
            let now = Int64(job * 100)
            _ = held.accepted(written: now, at: now + 5)
            #expect(held.stated(job: job, written: now + 10, at: now + 20) == .requestAtFault)
        }
    }

    @Test func opensOnOneStatedRefusalAMinuteAfterTheLastAcceptance() {
        let held = Held()
        _ = held.accepted(written: 0, at: 5)
        #expect(held.stated(written: 60_006, at: 60_006) == .refused(isNew: true))
    }

    @Test func opensForASilentHostDespiteRecentAcceptance() {
        let held = Held()
        _ = held.accepted(written: 0, at: 5)
        #expect(held.silent(at: 10, random: 1))
    }

    @Test func staysOpenIfAcceptedRequestWasWrittenEarlier() {
        let held = Held()
        #expect(held.stated(written: 5, at: 10) == .refused(isNew: true))
        #expect(!held.accepted(written: 5, at: 11))
        #expect(!held.breaker.isClosed)
        #expect(held.accepted(written: 6, at: 12))
        #expect(held.breaker.isClosed && held.breaker.reason == nil)
        #expect(held.stated(written: 70_000, at: 70_000) == .refused(isNew: true))
        #expect(held.breaker.openMilliseconds == 15_000, "the next open time must be short again")
    }

    // MARK: Ambiguous refusals

    @Test func probesAfterOneAmbiguousRefusal() {
        let held = Held()
        #expect(held.ambiguous(job: 1, written: 0, at: 10) == .doubted)
        #expect(!held.breaker.isRefused)
        #expect(held.admit(at: 10) == .probe)
        #expect(held.admit(at: 11) == .wait)
        #expect(!held.accepted(written: 10, at: 12), "no refusal was reported that could end")
        #expect(held.admit(at: 13) == .pass)
    }

    @Test func staysClosedOnAmbiguousRefusalWhileOthersAreAccepted() {
        let held = Held()
        for number in 0..<100 as Range<Int64> {
            _ = held.accepted(written: number, at: number + 5)
            #expect(held.ambiguous(job: Int(number), written: number + 5, at: number + 6) == .requestAtFault)
            #expect(held.breaker.isClosed)
        }
    }

    /// The provider accepts one push and then refuses the pushes of many jobs.
    @Test func staysClosedForAMinuteAfterAnAcceptedRequest() {
        let held = Held()
        _ = held.accepted(written: 0, at: 5)
        for number in 0..<60 as Range<Int64> {
            let now = 5 + number * 1_000
            #expect(held.ambiguous(job: Int(number), written: now + 1, at: now + 2) == .requestAtFault)
            #expect(held.admit(at: now + 3) == .pass)
        }
        #expect(held.ambiguous(job: 60, written: 60_006, at: 60_006) == .doubted)
    }

    @Test func opensAfterRefusalsOfThreeJobsInARow() {
        let held = Held()
        #expect(held.ambiguous(job: 1, written: 0, at: 10) == .doubted)
        #expect(held.ambiguous(job: 2, written: 10, at: 11) == .doubted)
        #expect(held.ambiguous(job: 1, written: 11, at: 12) == .doubted)
        #expect(held.ambiguous(job: 3, written: 12, at: 13) == .refused(isNew: true))
        #expect(held.admit(at: 14) == .hold)
        #expect(held.accepted(written: 0, at: 15), "the request was still on the wire")
        #expect(held.breaker.isClosed)
    }

    @Test func opensAfterTenRefusedPushesOfOneJob() {
        let held = Held()
        for push in 0..<9 { #expect(held.ambiguous(job: 1, push: push, written: 10, at: 10) == .doubted) }
        for push in 0..<9 { #expect(held.ambiguous(job: 1, push: push, written: 20, at: 30) == .doubted, "repeated") }
        #expect(held.ambiguous(job: 1, push: 9, written: 30, at: 31) == .refused(isNew: true))
    }

    @Test func ignoresRefusalsOfRequestsSentBeforeTrial() {
        let held = Held()
        for number in 0..<30 {
            #expect(held.ambiguous(job: number, written: Int64(number % 10), at: 10) == .doubted)
        }
        #expect(!held.breaker.isRefused)
        #expect(held.admit(at: 11) == .probe)
        #expect(!held.accepted(written: 9, at: 12), "an accepted request of the same burst")
        #expect(held.breaker.isClosed)
    }

    @Test func reopensAfterRefusalOfAnotherPush() {
        let held = opened()
        #expect(held.ambiguous(job: 1, written: 0, at: 20) == .doubted, "the request was on the wire")
        #expect(held.admit(at: 15_020) == .probe)
        held.breaker.probeWasNone()
        #expect(held.ambiguous(job: 1, written: 15_020, at: 15_021) == .refused(isNew: false))
        #expect(held.breaker.openMilliseconds == 30_000)
    }

    /// Three bad pushes of a rarely used credential must not reopen the breaker on every retry.
    @Test func doesNotReopenOnPushesThatWereRefusedBefore() {
        let held = Held()
        for job in 1...3 { _ = held.ambiguous(job: job, written: 10, at: 10) }
        #expect(held.breaker.isRefused && held.breaker.openMilliseconds == 15_000)
        for round in 1...3 {
            for job in 1...3 {
                let now = Int64(round * 100_000 + job * 10)
                #expect(held.admit(at: now) == .probe)
                held.breaker.probeWasNone()
                #expect(held.ambiguous(job: job, written: now, at: now + 1) == .doubted)
            }
        }
        #expect(held.breaker.openMilliseconds == 15_000)
        #expect(held.admit(at: 400_000) == .probe)
        #expect(held.accepted(written: 400_000, at: 400_001))
        for job in 1...2 { #expect(held.ambiguous(job: job, written: 460_002, at: 460_002) == .doubted) }
        #expect(held.ambiguous(job: 3, written: 460_002, at: 460_003) == .refused(isNew: true), "old refusals expired")
    }

    // MARK: Probes

    @Test func admitsNextProbeAtOnceAfterProbeWithoutEvidence() {
        let held = opened()
        held.breaker.probeWasNone()
        #expect(held.admit(at: 9_000) == .hold, "no probe was sent")
        #expect(held.admit(at: 15_010) == .probe)
        held.breaker.probeWasNone()
        #expect(held.admit(at: 15_011) == .probe)
        held.breaker.probeWasNone()
        #expect(held.stated(written: 15_011, at: 15_012) == .refused(isNew: false))
        held.breaker.probeWasNone()
        #expect(held.admit(at: 35_000) == .hold)
        #expect(held.succeeded())
        held.breaker.probeWasNone()
        #expect(held.breaker.isClosed)
    }

    @Test func waitsFiveSecondsForProbeAndAMinuteForTheNext() {
        let held = opened()
        #expect(held.admit(at: 20_000) == .probe)
        #expect(held.admit(at: 25_000) == .wait)
        #expect(held.admit(at: 25_001) == .hold)
        #expect(held.admit(at: 79_999) == .hold)
        #expect(held.admit(at: 80_000) == .probe)
    }
}
