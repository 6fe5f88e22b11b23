import DeliveryPipeline
import PushModel
import Testing

@Suite struct PaceTests {
    private func pace(_ settled: [Int64], at second: Int64) -> Int {
        var pace = Pace()
        for second in settled { pace.settled(at: Timestamp(seconds: second)) }
        return pace.inHalfASecond(now: Timestamp(seconds: second))
    }

    @Test func itIsThatOfTheBetterOfTwoSeconds() {
        let (many, few) = (Array(repeating: Int64(10), count: 8), Array(repeating: Int64(11), count: 4))
        #expect(pace([], at: 10) == 0)
        #expect(pace(many, at: 10) == 4, "half of eight")
        #expect(pace(many, at: 11) == 4)
        #expect(pace(many + few, at: 11) == 4, "this second has only begun")
        #expect(pace(many + few, at: 12) == 2)
        #expect(pace(few + few + few, at: 11) == 6)
    }

    @Test func whatIsLongerAgoDoesNotCount() {
        let many = Array(repeating: Int64(10), count: 8)
        #expect(pace(many, at: 12) == 0)
        #expect(pace(many + [12, 12], at: 12) == 1)
        #expect(pace(many, at: 9) == 0, "a clock that was set back tells nothing")
    }
}
