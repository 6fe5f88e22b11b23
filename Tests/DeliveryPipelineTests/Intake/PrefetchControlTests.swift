import AMQPClient
import DeliveryPipeline
import PushModel
import Testing

@Suite struct PrefetchControlTests {
    /// The prefetch after each beat.
    private func beat(
        _ control: inout PrefetchControl, _ times: Int = 1, held: Int, waiting: Int, pace: Int
    ) -> [Int] {
        (0..<times).map { _ in
            control.holds(held)
            control.holds(0)
            _ = control.beat(waiting: waiting, pace: pace)
            return control.prefetch
        }
    }

    @Test func itGrowsWhileItIsUsedUpAndLittleWaits() {
        var control = PrefetchControl(most: 100)
        #expect(control.prefetch == 4)
        #expect(beat(&control, held: 4, waiting: 0, pace: 0) == [4], "nothing has been sent yet")
        #expect(beat(&control, held: 3, waiting: 0, pace: 9_000) == [4], "there was no more")
        #expect(beat(&control, held: 4, waiting: 4_500, pace: 9_000) == [4], "half a second's work waits")
        #expect(beat(&control, 6, held: 100, waiting: 0, pace: 9_000) == [8, 16, 32, 64, 100, 100])
        #expect(PrefetchControl(most: 2).prefetch == 2)
    }

    @Test func itIsCutWhenMoreWaitsThanIsSentInAFewSeconds() {
        var control = PrefetchControl(most: 4_000)
        #expect(beat(&control, 10, held: 4_000, waiting: 0, pace: 9_000).last == 4_000)
        #expect(beat(&control, 100, held: 4_000, waiting: 36_000, pace: 9_000).last == 4_000)
        #expect(beat(&control, 7, held: 4_000, waiting: 72_000, pace: 9_000).last == 4_000, "for two seconds")
        #expect(
            beat(&control, held: 4_000, waiting: 72_000, pace: 9_000) == [500], "an eighth of it is a second's work")
        #expect(beat(&control, 8, held: 500, waiting: 1_000_000, pace: 0).last == 4)
        #expect(beat(&control, 20, held: 4, waiting: 2_000, pace: 0).last == 4, "and not up and down")
        control.connected()
        #expect(control.prefetch == 4)
    }

    @Test func aFloodIsFetchedAsItIsSent() throws {
        let harness = PipelineHarness { $0.prefetch = [.urgent: 10, .normal: 10, .bulk: 10] }
        harness.deliver((0..<4).map { .sample(jobBody("\($0)"), number: $0, from: .overflow(.normal)) })
        #expect(harness.started.count == 4)
        harness.passBeat()
        #expect(harness.prefetches == [], "nothing has been sent yet")
        for job in harness.output.jobs { harness.report(job, [.sent, .sent]) }
        for event in harness.events { harness.confirm(event) }
        harness.passBeat()
        #expect(harness.prefetches == [8])
        harness.deliver((4..<12).map { .sample(jobBody("\($0)"), number: $0, from: .overflow(.normal)) })
        harness.passBeat()
        #expect(harness.prefetches == [8, 10])
    }

    @Test func whatWasFetchedTooMuchGoesBackOnce() throws {
        let harness = PipelineHarness { $0.prefetch = [.urgent: 10, .normal: 4_000, .bulk: 10] }
        var number: UInt64 = 0
        func deliver(_ count: Int) {
            harness.deliver(
                (0..<count).map { _ in
                    number += 1
                    return .sample(jobBody("\(number)"), number: number, from: .overflow(.normal))
                })
        }
        // Small jobs are settled at once, and the prefetch grows.
        for _ in 0..<10 {
            let before = harness.output.jobs.count
            deliver(harness.prefetches.last ?? 4)
            for job in harness.output.jobs.dropFirst(before) { harness.report(job, [.sent, .sent]) }
            harness.confirmAllEvents()
            harness.passBeat()
        }
        #expect(harness.prefetches.last == 4_000)
        // Then nothing is answered any more.
        harness.pass(seconds: 2)
        deliver(3_000)
        harness.passBeat(7)
        #expect(harness.overflowed.isEmpty && harness.prefetches.last == 4_000)
        harness.passBeat()
        #expect(harness.prefetches.last == 4)
        #expect(harness.core.currentCounts().jobsWaiting == 1_000, "two thousand recipients")
        let back = harness.overflowed.count
        #expect(back == 1_000)
        harness.passBeat(20)
        #expect(harness.overflowed.count == back, "once")
    }
}
