import PushModel
import Store
import Testing

@Suite struct DatabaseClockTests {
    @Test func ignoresSlowClockReadings() {
        let before = Timestamp(milliseconds: 100_000)
        func ahead(took milliseconds: Int64, database: Int64) -> Int? {
            DatabaseClock.ahead(
                from: before, to: Timestamp(milliseconds: before.milliseconds + milliseconds),
                took: .milliseconds(milliseconds), database: database)
        }
        #expect(ahead(took: 10, database: 100_005) == 0)
        #expect(ahead(took: 1_000, database: 93_500) == 7_000)
        // The server's clock is right, but its answer was delayed by half a minute.
        #expect(ahead(took: 30_000, database: 100_001) == nil)
    }
}
