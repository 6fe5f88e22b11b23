import DeliveryPipeline
import PushModel
import Testing

@Suite struct RateLimiterTests {
    private func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: 1_800_000_000_000 + milliseconds) }

    private func limiter(_ rate: Int, workers: Int? = 1) -> RateLimiter {
        var limiter = RateLimiter(rate: rate)
        limiter.pass(to: at(0), workers: workers)
        return limiter
    }

    /// Sends chunks as soon as the limiter permits, in steps of 20 ms, and returns the number of pushes.
    private func sent(
        by limiter: inout RateLimiter, chunks size: Int, seconds: Range<Int64>, workers: (Int64) -> Int? = { _ in 1 }
    ) -> Int {
        var sent = 0
        for milliseconds in stride(from: seconds.lowerBound * 1_000, to: seconds.upperBound * 1_000, by: 20) {
            limiter.pass(to: at(milliseconds), workers: workers(milliseconds))
            while limiter.maySend {
                limiter.spend(size)
                sent += size
            }
        }
        return sent
    }

    @Test(arguments: [1, 31, 500])
    func keepsRateForAnyJobSize(size: Int) {
        var limiter = limiter(500)
        #expect(abs(sent(by: &limiter, chunks: size, seconds: 0..<60) - 30_000) <= 500)
    }

    @Test func dividesRateAmongWorkers() {
        var limiter = limiter(500, workers: 4)
        #expect(abs(sent(by: &limiter, chunks: 31, seconds: 0..<60) { _ in 4 } - 7_500) <= 62)
        #expect(abs(sent(by: &limiter, chunks: 31, seconds: 60..<120) { _ in 3 } - 10_000) <= 62, "3 workers")
        #expect(abs(sent(by: &limiter, chunks: 31, seconds: 120..<180) { _ in nil } - 3_000) <= 62, "unknown count")
    }

    @Test func limitsBurstToOneSecond() {
        var limiter = limiter(500)
        _ = sent(by: &limiter, chunks: 10, seconds: 0..<1)
        limiter.pass(to: at(3_600_000), workers: 1)
        #expect(limiter.credit == 500)
    }

    @Test func waitsUntilDebtIsPaid() {
        var limiter = limiter(10)
        #expect(limiter.maySend, "the first job may start at once")
        limiter.spend(500)
        limiter.pass(to: at(49_800), workers: 1)
        #expect(!limiter.maySend && limiter.room > 0)
        limiter.pass(to: at(50_000), workers: 1)
        #expect(limiter.maySend)
    }

    /// The rate alternates between 10 and 20 every two seconds.
    @Test(arguments: [1, 31]) func keepsRateOverRepeatedChanges(size: Int) {
        var limiter = limiter(10)
        var total = 0
        for second in stride(from: Int64(0), to: 120, by: 4) {
            total += sent(by: &limiter, chunks: size, seconds: second..<second + 2)
            limiter.change(to: 20)
            total += sent(by: &limiter, chunks: size, seconds: second + 2..<second + 4)
            limiter.change(to: 10)
        }
        #expect(abs(total - 1_800) <= 32)
    }

    @Test func keepsCreditAndDropsSlotsOnRateChange() {
        var limiter = limiter(500)
        limiter.pass(to: at(1_000), workers: 1)
        _ = limiter.slot(for: 1_000, behind: 500, now: at(1_000))
        limiter.change(to: 100)
        #expect(limiter.isAtRest && limiter.credit == 500)
        limiter.pass(to: at(1_000), workers: 1)
        #expect(limiter.credit == 100, "the credit must be at most one second's")
        limiter.spend(101)
        limiter.change(to: 500)
        #expect(!limiter.maySend)
    }

    @Test func limitsWorkThatWaitsInWorker() {
        var limiter = limiter(10)
        #expect(limiter.room == 41)
        limiter.spend(100)
        #expect(limiter.room < 0)
    }

    @Test func addsNoCreditIfClockStopsOrIsSetBack() {
        var limiter = limiter(500)
        limiter.spend(1)
        for milliseconds in [0, 0, -3_600_000, -3_600_000] as [Int64] {
            limiter.pass(to: at(milliseconds), workers: 1)
            #expect(!limiter.maySend)
        }
        limiter.pass(to: at(-3_599_990), workers: 1)
        #expect(limiter.maySend, "credit must grow from the new time")
    }

    @Test func assignsSlotsDenserThanRate() {
        var limiter = limiter(500, workers: 4)
        var due: [Int64] = []
        for _ in 0..<1_000 {
            due.append(limiter.slot(for: 31, behind: 500, now: at(0)).due.milliseconds - at(0).milliseconds)
        }
        #expect(due[0] == 3_992, "jobs that wait in the worker must go first")
        #expect(abs(due[999] - (3_992 + 31 * 999 * 1_000 / 250)) < 5)
        #expect(zip(due, due.dropFirst()).allSatisfy { $0 < $1 })
    }

    /// A worker that splits a job receives few of its parts and runs out of slots early. The slots of two of the four
    /// workers must therefore allow the whole rate.
    @Test func usesWholeRateWithSlotsOfHalfTheWorkers() {
        var limiters = [limiter(500, workers: 4), limiter(500, workers: 4)]
        var dueInAMinute = 0
        for index in limiters.indices {
            for _ in 0..<1_000 where limiters[index].slot(for: 31, behind: 500, now: at(0)).due <= at(64_000) {
                dueInAMinute += 31
            }
        }
        #expect(dueInAMinute >= 500 * 60)
    }

    @Test func assignsDistinctSlotsToSimultaneousJobs() {
        var limiter = limiter(100)
        let due = stride(from: 3_000, to: 410, by: -10).map { limiter.slot(for: 10, behind: $0, now: at(0)).due }
        #expect(zip(due, due.dropFirst()).allSatisfy { $1.milliseconds - $0.milliseconds >= 49 })
        #expect(due[0].milliseconds - at(0).milliseconds <= 4_000)
    }

    @Test func assignsLaterSlotsToLaterJobsAndForgetsPastOnes() {
        var limiter = limiter(100)
        for _ in 0..<100 { _ = limiter.slot(for: 10, behind: 400, now: at(0)) }
        limiter.pass(to: at(5_000), workers: 1)
        let late = limiter.slot(for: 10, behind: 400, now: at(5_000)).due
        #expect((8_000...8_100).contains(late.milliseconds - at(0).milliseconds))
        limiter.pass(to: at(100_000), workers: 1)
        #expect(limiter.isAtRest)
    }

    @Test func reusesReturnedSlot() {
        func next(afterGivingBack recipients: Int) -> Int64 {
            var limiter = limiter(100)
            for _ in 0..<100 { _ = limiter.slot(for: 10, behind: 400, now: at(0)) }
            if recipients > 0 { limiter.releaseSlot(of: recipients) }
            let due = limiter.slot(for: 10, behind: 400, now: at(0)).due
            return (due.milliseconds - at(0).milliseconds + 5) / 10 * 10
        }
        #expect([0, 500, 1_000, 1_000_000].map { next(afterGivingBack: $0) } == [8_990, 6_490, 3_990, 3_990])
    }

    @Test func reservesNoSlotAfterDeadline() {
        var limiter = limiter(100)
        for _ in 0..<100 { _ = limiter.slot(for: 10, behind: 0, now: at(0)) }
        let late = limiter.slot(for: 1_000, behind: 0, until: .at(at(3_000)), now: at(0))
        #expect(late == .init(due: at(3_001), rate: 100))
        let next = limiter.slot(for: 10, behind: 0, until: .at(at(60_000)), now: at(0))
        #expect((4_990...5_010).contains(next.due.milliseconds - at(0).milliseconds))
    }

    /// The number of jobs that wait in the broker and the rate of the fleet stay the same, so the slots do not change.
    @Test(arguments: [1, 10]) func keepsSlotsWhenNumberOfWorkersChanges(workers: Int) {
        var limiter = limiter(100)
        for _ in 0..<100 { _ = limiter.slot(for: 10, behind: 0, now: at(0)) }
        limiter.pass(to: at(1_000), workers: workers)
        let due = limiter.slot(for: 10, behind: 0, now: at(1_000)).due.milliseconds - at(0).milliseconds
        #expect((4_990...5_010).contains(due))
    }

    @Test func refundsUnsentPushes() {
        var limiter = limiter(10)
        limiter.spend(20)
        #expect(!limiter.maySend)
        limiter.refund(20)
        #expect(limiter.maySend)
    }

    @Test func waitsForSlotInShortSteps() {
        func delay(_ seconds: Int64) -> Int { RateLimiter.Slot(due: at(seconds * 1_000), rate: 1).delay(now: at(0)) }
        #expect([-5, 0, 1, 4, 29, 100, 900, 1_799].map { delay($0) } == [1, 1, 1, 1, 5, 30, 120, 120])
        #expect([1_800, 7_200, 100_000].map { delay($0) } == [900, 3_600, 21_600], "at most half of the wait")
    }

    @Test func sizesChunkForAQuarterOfASecond() {
        #expect(
            [limiter(500), limiter(500, workers: 4), limiter(10), limiter(100_000)].map(\.chunkSize) == [
                125, 31, 20, 25_000,
            ])
    }
}
