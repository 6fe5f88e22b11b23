import Foundations
import Logging
import Observability
import Testing

@Suite struct OngoingFailuresTests {
    private let once = EventName("thing.read.failed")
    private let often = EventName("thing.write.failed", repeats: true)
    private let resumed = EventName("thing.resumed")

    @Test func listsFailuresUntilEnded() {
        let (failures, ring) = (OngoingFailures(), WarningRing())
        let logger = WorkerLog(level: .info, sinks: [ring]).logger("test")
        failures.ended(resumed, "Again", after: once, to: logger)
        failures.began(once, "It cannot be read", "away", to: logger)
        failures.began(once, "It cannot be read", "still away", to: logger)
        failures.began(often, "It cannot be written", "away", to: logger)
        #expect(failures.all == [.init(event: once, error: "still away"), .init(event: often, error: "away")])
        #expect(ring.all.map(\.event) == ["thing.write.failed", "thing.read.failed"], "each failure is logged once")
        failures.ended(resumed, "Again", after: once, to: logger)
        failures.ended(resumed, "Again", after: once, to: logger)
        #expect(failures.all.map(\.event) == [often])
    }
}
