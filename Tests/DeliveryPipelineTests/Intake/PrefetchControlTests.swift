import AMQPClient
import Contract
import DeliveryPipeline
import PushModel
import Store
import Testing

@Suite struct PrefetchControlTests {
    /// Adjusts the prefetch a number of times, and returns its value after each adjustment.
    private func beat(
        _ control: inout PrefetchControl, _ times: Int = 1, held: Int, waiting: Int, throughput: Int,
        isSettling: Bool = true
    ) -> [Int] {
        (0..<times).map { _ in
            control.holds(held)
            control.holds(0)
            _ = control.beat(waiting: waiting, throughput: throughput, isSettling: isSettling)
            return control.prefetch
        }
    }

    @Test func growsWhileUsedUpAndFewRecipientsWait() {
        var control = PrefetchControl(most: 100)
        #expect(control.prefetch == 4)
        #expect(beat(&control, held: 4, waiting: 0, throughput: 0, isSettling: false) == [4], "nothing is settled yet")
        #expect(beat(&control, held: 4, waiting: 1, throughput: 0) == [4], "no throughput, and a job waits")
        #expect(beat(&control, held: 3, waiting: 0, throughput: 9_000) == [4], "the prefetch is not used up")
        #expect(beat(&control, held: 4, waiting: 4_500, throughput: 9_000) == [4], "half a second's work waits")
        #expect(beat(&control, 6, held: 100, waiting: 0, throughput: 9_000) == [8, 16, 32, 64, 100, 100])
        #expect(PrefetchControl(most: 2).prefetch == 2)
    }

    @Test func growsWhileJobsAreSettledWithoutSending() {
        var control = PrefetchControl(most: 100)
        #expect(beat(&control, 3, held: 32, waiting: 0, throughput: 0) == [8, 16, 32])
    }

    @Test func shrinksWhileLessThanAQuarterIsUsed() {
        var control = PrefetchControl(most: 100)
        #expect(beat(&control, 5, held: 100, waiting: 0, throughput: 0).last == 100)
        #expect(beat(&control, held: 25, waiting: 0, throughput: 9_000) == [100], "a quarter of the prefetch is used")
        #expect(beat(&control, 7, held: 0, waiting: 0, throughput: 0) == [50, 25, 12, 6, 4, 4, 4])
    }

    @Test func shrinksIfMoreThanFourSecondsOfWorkWait() {
        var control = PrefetchControl(most: 4_000)
        #expect(beat(&control, 10, held: 4_000, waiting: 0, throughput: 9_000).last == 4_000)
        #expect(beat(&control, 100, held: 4_000, waiting: 36_000, throughput: 9_000).last == 4_000)
        #expect(
            beat(&control, 7, held: 4_000, waiting: 72_000, throughput: 9_000).last == 4_000, "must last two seconds")
        #expect(
            beat(&control, held: 4_000, waiting: 72_000, throughput: 9_000) == [500], "one second's work is an eighth")
        #expect(beat(&control, 8, held: 500, waiting: 1_000_000, throughput: 0).last == 1)
        #expect(beat(&control, 20, held: 1, waiting: 2_000, throughput: 0).last == 1, "the prefetch must not oscillate")
        #expect(beat(&control, 2, held: 0, waiting: 0, throughput: 0) == [4, 4], "the initial prefetch")
    }

    @Test func growsAsJobsAreSent() throws {
        let harness = PipelineHarness { $0.prefetch = [.urgent: 10, .normal: 10, .bulk: 10] }
        harness.deliver((0..<4).map { .sample(jobBody("\($0)"), number: $0, from: .waiting(.normal, 0)) })
        #expect(harness.started.count == 4)
        harness.passBeat()
        #expect(harness.prefetches == [], "no push has been sent yet")
        for job in harness.output.jobs { harness.report(job, [.sent, .sent]) }
        for event in harness.events { harness.confirm(event) }
        harness.passBeat()
        #expect(harness.prefetches == [8])
        harness.deliver((4..<12).map { .sample(jobBody("\($0)"), number: $0, from: .waiting(.normal, 0)) })
        harness.passBeat()
        #expect(harness.prefetches == [8, 10])
    }

    @Test func returnsExcessJobsToWaitingQueueOnce() throws {
        let harness = PipelineHarness { $0.prefetch = [.urgent: 10, .normal: 4_000, .bulk: 10] }
        var number: UInt64 = 0
        func deliver(_ count: Int) {
            harness.deliver(
                (0..<count).map { _ in
                    number += 1
                    return .sample(jobBody("\(number)"), number: number, from: .waiting(.normal, 0))
                })
        }
        // Small jobs are settled at once, so the prefetch grows.
        for _ in 0..<10 {
            let before = harness.output.jobs.count
            deliver(harness.prefetches.last ?? 4)
            for job in harness.output.jobs.dropFirst(before) { harness.report(job, [.sent, .sent]) }
            harness.confirmAllEvents()
            harness.passBeat()
        }
        #expect(harness.prefetches.last == 4_000)
        // The output stops reporting outcomes.
        harness.pass(seconds: 2)
        deliver(3_000)
        harness.passBeat(7)
        #expect(harness.waiting.isEmpty && harness.prefetches.last == 4_000)
        harness.passBeat()
        #expect(harness.prefetches.last == 1)
        #expect(harness.core.currentCounts().jobsWaiting == 1_000, "2,000 recipients may wait")
        let back = harness.waiting.count
        #expect(back == 1_000)
        harness.passBeat(20)
        #expect(harness.waiting.count == back, "jobs must return only once")
    }

    /// The ways in which a job is settled without being sent.
    enum Unsent: CaseIterable {
        case cancelled, duplicate
    }

    @Test(arguments: Unsent.allCases)
    func growsAsJobsAreSettledWithoutSending(unsent: Unsent) throws {
        let harness = PipelineHarness {
            $0.limits.deduplicationWindow = unsent == .duplicate ? 60 : 0
        }
        if unsent == .cancelled {
            harness.cancellations(.changed((0..<100).map { .init(job: "\($0)", isCancelled: true) }))
        }
        var (number, confirmed) = (UInt64(0), 0)
        for prefetch in [4, 8, 16, 32] {
            let numbers = number..<number + UInt64(prefetch)
            number = numbers.upperBound
            harness.deliver(numbers.map { .sample(jobBody("\($0)"), number: $0, from: .waiting(.normal, 0)) })
            harness.passBeat()
            #expect((harness.prefetches.last ?? 4) == prefetch, "nothing is settled yet")
            if let batch = harness.claims.last { harness.claimed(batch, fresh: []) }
            harness.flush()
            for publication in harness.published[confirmed...] { harness.confirm(publication) }
            confirmed = harness.published.count
            harness.passBeat()
            #expect(harness.prefetches.last == 2 * prefetch)
            harness.pass(seconds: 2)
        }
        #expect(harness.started == [] && harness.acknowledged.count == 60)
    }

    /// The open deliveries of a lost connection must not count toward the prefetch of the next one.
    @Test func ignoresOrphansOfLostConnection() throws {
        let harness = PipelineHarness()
        harness.deliver((0..<4).map { .sample(jobBody("\($0)"), number: $0, from: .waiting(.normal, 0)) })
        harness.consumer(.disconnected(AMQPError(.connectionFailed, "gone")))
        harness.consumer(.connected(queues: []))
        harness.passBeat()
        harness.deliver([.sample(jobBody("again"), number: 1, from: .waiting(.normal, 0), connection: 2)])
        harness.report(try harness.job(0), [.sent, .sent])
        harness.confirmAllEvents()
        harness.passBeat(3)
        #expect(harness.prefetches == [])
    }

    @Test func keepsPrefetchAfterReconnect() throws {
        let harness = PipelineHarness()
        func deliver(_ numbers: Range<UInt64>, connection: UInt32) {
            harness.deliver(
                numbers.map {
                    .sample(
                        jobBody("\(connection)-\($0)"), number: $0, from: .waiting(.normal, 0), connection: connection)
                })
            for job in harness.output.jobs.suffix(numbers.count) { harness.report(job, [.sent, .sent]) }
            harness.confirmAllEvents()
            harness.passBeat()
        }
        deliver(0..<4, connection: 1)
        #expect(harness.prefetches == [8])
        harness.consumer(.disconnected(AMQPError(.connectionFailed, "gone")))
        harness.consumer(.connected(queues: []))
        deliver(0..<7, connection: 2)
        #expect(harness.prefetches == [8], "the prefetch is not used up")
        deliver(7..<15, connection: 2)
        #expect(harness.prefetches == [8, 16])
    }
}
