import Observability
import Testing

@Suite struct ClockReadingTests {
    @Test func keepsReadingForFiveMinutes() {
        let start = ContinuousClock.now
        var reading = ClockReading()
        #expect(reading.ahead(at: start) == nil)
        reading.saw(ahead: -7_000, at: start)
        #expect(reading.ahead(at: start + .seconds(300)) == -7_000)
        #expect(reading.ahead(at: start + .seconds(301)) == nil)
        reading.saw(ahead: 0, at: start + .seconds(360))
        #expect(reading.ahead(at: start + .seconds(360)) == 0)
    }
}
