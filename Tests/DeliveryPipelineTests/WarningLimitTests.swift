import DeliveryPipeline
import PushModel
import Testing

@Suite struct WarningLimitTests {
    private var limit = WarningLimit()

    @Test mutating func aSubjectHasOneLineAMinute() {
        let times: [Int64] = [0, 1, 59, 60, 61, 119, 120]
        let told = times.filter { limit.isDue("a", now: Timestamp(seconds: $0)) }
        #expect(told == [0, 60, 120])
        let isDue = limit.isDue("b", now: Timestamp(seconds: 120))
        #expect(isDue)
    }

    @Test mutating func subjectsOfFormerMinutesAreForgotten() {
        for minute in 0..<100 {
            for subject in 0..<50 {
                _ = limit.isDue("\(minute) \(subject)", now: Timestamp(seconds: Int64(minute) * 60))
            }
        }
        #expect(limit.subjects <= 150)
    }
}
