import DeliveryPipeline
import PushModel
import Testing

@Suite struct PacerTests {
    private func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: 1_800_000_000_000 + milliseconds) }

    private func pacer(_ rate: Int, workers: Int? = 1) -> Pacer {
        var pacer = Pacer(rate: rate)
        pacer.pass(to: at(0), workers: workers)
        return pacer
    }

    /// Sends chunks as soon as it may, looked at every 20 ms.
    private func sent(
        by pacer: inout Pacer, chunks size: Int, seconds: Range<Int64>, workers: (Int64) -> Int? = { _ in 1 }
    ) -> Int {
        var sent = 0
        for milliseconds in stride(from: seconds.lowerBound * 1_000, to: seconds.upperBound * 1_000, by: 20) {
            pacer.pass(to: at(milliseconds), workers: workers(milliseconds))
            while pacer.maySend {
                pacer.spend(size)
                sent += size
            }
        }
        return sent
    }

    @Test(arguments: [1, 31, 500])
    func aRateIsKeptWhateverTheSizeOfItsJobs(size: Int) {
        var pacer = pacer(500)
        #expect(abs(sent(by: &pacer, chunks: size, seconds: 0..<60) - 30_000) <= 500)
    }

    @Test func aRateIsDividedAmongTheWorkers() {
        var pacer = pacer(500, workers: 4)
        #expect(abs(sent(by: &pacer, chunks: 31, seconds: 0..<60) { _ in 4 } - 7_500) <= 62)
        #expect(abs(sent(by: &pacer, chunks: 31, seconds: 60..<120) { _ in 3 } - 10_000) <= 62, "one less")
        #expect(abs(sent(by: &pacer, chunks: 31, seconds: 120..<180) { _ in nil } - 3_000) <= 62, "nobody knows")
    }

    @Test func afterATimeWithoutWorkNoMoreThanASecondsWorthIsSentAtOnce() {
        var pacer = pacer(500)
        _ = sent(by: &pacer, chunks: 10, seconds: 0..<1)
        pacer.pass(to: at(3_600_000), workers: 1)
        #expect(pacer.credit == 500)
    }

    @Test func aDebtIsWaitedFor() {
        var pacer = pacer(10)
        #expect(pacer.maySend, "the first at once")
        pacer.spend(500)
        pacer.pass(to: at(49_800), workers: 1)
        #expect(!pacer.maySend && pacer.room > 0)
        pacer.pass(to: at(50_000), workers: 1)
        #expect(pacer.maySend)
    }

    /// Every two seconds, half of the time 10 and half of it 20.
    @Test(arguments: [1, 31]) func aRateThatIsChangedOverAndOverIsKept(size: Int) {
        var pacer = pacer(10)
        var total = 0
        for second in stride(from: Int64(0), to: 120, by: 4) {
            total += sent(by: &pacer, chunks: size, seconds: second..<second + 2)
            pacer.change(to: 20)
            total += sent(by: &pacer, chunks: size, seconds: second + 2..<second + 4)
            pacer.change(to: 10)
        }
        #expect(abs(total - 1_800) <= 32)
    }

    @Test func anotherRateKeepsWhatMayBeSentAndMakesTheLineAnew() {
        var pacer = pacer(500)
        pacer.pass(to: at(1_000), workers: 1)
        _ = pacer.slot(for: 1_000, behind: 500, now: at(1_000))
        pacer.change(to: 100)
        #expect(pacer.isAtRest && pacer.credit == 500)
        pacer.pass(to: at(1_000), workers: 1)
        #expect(pacer.credit == 100, "a second's worth, as ever")
        pacer.spend(101)
        pacer.change(to: 500)
        #expect(!pacer.maySend)
    }

    @Test func whatWouldWaitForLongDoesNotWaitHere() {
        var pacer = pacer(10)
        #expect(pacer.room == 41)
        pacer.spend(100)
        #expect(pacer.room < 0)
    }

    @Test func aClockThatStandsOrIsSetBackAddsNothing() {
        var pacer = pacer(500)
        pacer.spend(1)
        for milliseconds in [0, 0, -3_600_000, -3_600_000] as [Int64] {
            pacer.pass(to: at(milliseconds), workers: 1)
            #expect(!pacer.maySend)
        }
        pacer.pass(to: at(-3_599_990), workers: 1)
        #expect(pacer.maySend, "and goes on from there")
    }

    @Test func slotsFollowOneAnotherCloserThanTheRate() {
        var pacer = pacer(500, workers: 4)
        var due: [Int64] = []
        for _ in 0..<1_000 {
            due.append(pacer.slot(for: 31, behind: 500, now: at(0)).due.milliseconds - at(0).milliseconds)
        }
        #expect(due[0] == 3_992, "what waits here goes first")
        #expect(abs(due[999] - (3_992 + 31 * 999 * 1_000 / 250)) < 5)
        #expect(zip(due, due.dropFirst()).allSatisfy { $0 < $1 })
    }

    /// Whoever splits a job gets few of its parts, so that his line is over first.
    @Test func theLinesOfHalfTheWorkersAreEnoughForTheRate() {
        var pacers = [pacer(500, workers: 4), pacer(500, workers: 4)]
        var dueInAMinute = 0
        for index in pacers.indices {
            for _ in 0..<1_000 where pacers[index].slot(for: 31, behind: 500, now: at(0)).due <= at(64_000) {
                dueInAMinute += 31
            }
        }
        #expect(dueInAMinute >= 500 * 60)
    }

    @Test func ofManyThatComeAtOnceAllHaveSlotsOfTheirOwn() {
        var pacer = pacer(100)
        let due = stride(from: 3_000, to: 410, by: -10).map { pacer.slot(for: 10, behind: $0, now: at(0)).due }
        #expect(zip(due, due.dropFirst()).allSatisfy { $1.milliseconds - $0.milliseconds >= 49 })
        #expect(due[0].milliseconds - at(0).milliseconds <= 4_000)
    }

    @Test func whatComesLaterGetsALaterSlotAndWhatIsOverIsForgotten() {
        var pacer = pacer(100)
        for _ in 0..<100 { _ = pacer.slot(for: 10, behind: 400, now: at(0)) }
        pacer.pass(to: at(5_000), workers: 1)
        let late = pacer.slot(for: 10, behind: 400, now: at(5_000)).due
        #expect((8_000...8_100).contains(late.milliseconds - at(0).milliseconds))
        pacer.pass(to: at(100_000), workers: 1)
        #expect(pacer.isAtRest)
    }

    @Test func aPlaceThatIsGivenBackIsTheNextOnes() {
        func next(afterGivingBack recipients: Int) -> Int64 {
            var pacer = pacer(100)
            for _ in 0..<100 { _ = pacer.slot(for: 10, behind: 400, now: at(0)) }
            if recipients > 0 { pacer.giveBack(recipients) }
            let due = pacer.slot(for: 10, behind: 400, now: at(0)).due
            return (due.milliseconds - at(0).milliseconds + 5) / 10 * 10
        }
        #expect([0, 500, 1_000, 1_000_000].map { next(afterGivingBack: $0) } == [8_990, 6_490, 3_990, 3_990])
    }

    @Test func whatWouldComeTooLateTakesNoPlace() {
        var pacer = pacer(100)
        for _ in 0..<100 { _ = pacer.slot(for: 10, behind: 0, now: at(0)) }
        let late = pacer.slot(for: 1_000, behind: 0, until: .at(at(3_000)), now: at(0))
        #expect(late == .init(due: at(3_001), rate: 100))
        let next = pacer.slot(for: 10, behind: 0, until: .at(at(60_000)), now: at(0))
        #expect((4_990...5_010).contains(next.due.milliseconds - at(0).milliseconds))
    }

    /// As many wait in the broker, and leave it as fast.
    @Test(arguments: [1, 10]) func aLineIsAsLongHoweverManyWorkersThereAre(workers: Int) {
        var pacer = pacer(100)
        for _ in 0..<100 { _ = pacer.slot(for: 10, behind: 0, now: at(0)) }
        pacer.pass(to: at(1_000), workers: workers)
        let due = pacer.slot(for: 10, behind: 0, now: at(1_000)).due.milliseconds - at(0).milliseconds
        #expect((4_990...5_010).contains(due))
    }

    @Test func whatWasPaidForAndNotSentIsGivenBack() {
        var pacer = pacer(10)
        pacer.spend(20)
        #expect(!pacer.maySend)
        pacer.refund(20)
        #expect(pacer.maySend)
    }

    @Test func aSlotIsWaitedForInStepsThatAreRatherTooShort() {
        func delay(_ seconds: Int64) -> Int { Pacer.Slot(due: at(seconds * 1_000), rate: 1).delay(now: at(0)) }
        #expect([-5, 0, 1, 4, 29, 100, 900, 1_799].map { delay($0) } == [1, 1, 1, 1, 5, 30, 120, 120])
        #expect([1_800, 7_200, 100_000].map { delay($0) } == [900, 3_600, 21_600], "half of it at the most")
    }

    @Test func aChunkIsMadeForAQuarterOfASecond() {
        #expect(
            [pacer(500), pacer(500, workers: 4), pacer(10), pacer(100_000)].map(\.chunkSize) == [125, 31, 20, 25_000])
    }
}
