import DeliveryPipeline
import Testing

@Suite struct HoldingRuleTests {
    private let rule = HoldingRule(places: 4_000, bytes: 32_000, chunkSize: 500)

    @Test func allowsTwoSecondsOfThroughputInFlight() {
        #expect(HoldingRule.inFlight(.init()) == 2_000, "enough to measure the throughput")
        #expect(HoldingRule.inFlight(.init(jobs: 1, recipients: 900)) == 2_000)
        #expect(HoldingRule.inFlight(.init(jobs: 18, recipients: 9_000)) == 18_000)
    }

    @Test func allowsHalfASecondOfThroughputOfAppToWait() {
        #expect(rule.waiting(.init()) == .init(jobs: 500, recipients: 500, bytes: 8_000))
        #expect(rule.waiting(.init(jobs: 18, recipients: 9_000)) == .init(jobs: 500, recipients: 4_500, bytes: 8_000))
        #expect(
            rule.waiting(.init(jobs: 9_000, recipients: 9_000)) == .init(jobs: 4_500, recipients: 4_500, bytes: 8_000))
    }

    @Test func allowsMoreJobsToWaitAtHighThroughput() {
        func jobs(_ throughput: Int) -> Int { rule.waiting(.init(jobs: throughput, recipients: throughput)).jobs }
        #expect([jobs(3_999), jobs(4_000), jobs(20_000)] == [500, 2_000, 10_000])
        #expect(rule.waitingOfAll(.init(jobs: 20_000, recipients: 20_000), open: 3_900).jobs == 10_000)
    }

    @Test func allowsOneSecondOfTotalThroughputToWait() {
        #expect(rule.waitingOfAll(.init(), open: 0) == .init(jobs: 1_000, recipients: 2_000, bytes: 16_000))
        #expect(
            rule.waitingOfAll(.init(jobs: 18, recipients: 9_000), open: 0)
                == .init(jobs: 1_000, recipients: 9_000, bytes: 16_000))
    }

    /// Eight slow apps use eight ninths of the places for open jobs: 3,556 of 4,000. A quarter of the rest stays free.
    @Test func keepsPlacesFreeBesideManySlowApps() {
        #expect(rule.waitingOfAll(.init(), open: 3_556).jobs == 333)
        #expect(rule.waitingOfAll(.init(), open: 4_100).jobs == 0)
    }
}
