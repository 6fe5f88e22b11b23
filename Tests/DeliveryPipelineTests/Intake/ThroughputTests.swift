import DeliveryPipeline
import PushModel
import Testing

@Suite struct ThroughputTests {
    private func throughput(_ settled: [Int64], at second: Int64) -> Throughput.Count {
        var throughput = Throughput()
        for second in settled { throughput.settled(3, at: Timestamp(seconds: second)) }
        return throughput.inASecond(now: Timestamp(seconds: second))
    }

    private func jobs(_ count: Int) -> Throughput.Count { .init(jobs: count, recipients: 3 * count) }

    @Test func usesBetterOfLastTwoSeconds() {
        let (many, few) = (Array(repeating: Int64(10), count: 8), Array(repeating: Int64(11), count: 4))
        #expect(throughput([], at: 10) == jobs(0))
        #expect(throughput(many, at: 10) == jobs(8))
        #expect(throughput(many, at: 11) == jobs(8))
        #expect(throughput(many + few, at: 11) == jobs(8), "the present second is incomplete")
        #expect(throughput(many + few, at: 12) == jobs(4))
        #expect(throughput(few + few + few, at: 11) == jobs(12))
    }

    @Test func ignoresOlderSeconds() {
        let many = Array(repeating: Int64(10), count: 8)
        #expect(throughput(many, at: 12) == jobs(0))
        #expect(throughput(many + [12, 12], at: 12) == jobs(2))
        #expect(throughput(many, at: 9) == jobs(0), "the clock was set back")
    }
}
