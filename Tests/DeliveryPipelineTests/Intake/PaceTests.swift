import DeliveryPipeline
import PushModel
import Testing

@Suite struct PaceTests {
    private func pace(_ settled: [Int64], at second: Int64) -> Pace.Count {
        var pace = Pace()
        for second in settled { pace.settled(3, at: Timestamp(seconds: second)) }
        return pace.inASecond(now: Timestamp(seconds: second))
    }

    private func jobs(_ count: Int) -> Pace.Count { .init(jobs: count, recipients: 3 * count) }

    @Test func usesBetterOfLastTwoSeconds() {
        let (many, few) = (Array(repeating: Int64(10), count: 8), Array(repeating: Int64(11), count: 4))
        #expect(pace([], at: 10) == jobs(0))
        #expect(pace(many, at: 10) == jobs(8))
        #expect(pace(many, at: 11) == jobs(8))
        #expect(pace(many + few, at: 11) == jobs(8), "the present second is incomplete")
        #expect(pace(many + few, at: 12) == jobs(4))
        #expect(pace(few + few + few, at: 11) == jobs(12))
    }

    @Test func ignoresOlderSeconds() {
        let many = Array(repeating: Int64(10), count: 8)
        #expect(pace(many, at: 12) == jobs(0))
        #expect(pace(many + [12, 12], at: 12) == jobs(2))
        #expect(pace(many, at: 9) == jobs(0), "the clock was set back")
    }
}
