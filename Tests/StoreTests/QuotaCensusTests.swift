import Store
import Testing

@Suite struct QuotaCensusTests {
    private let start = ContinuousClock.now

    private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    /// Returns the number of workers that share a quota, or `nil` if it is unknown.
    private func ask(_ census: inout QuotaCensus, _ name: String = "fcm/p", at seconds: Double = 0) -> Int? {
        census.ask(name, now: at(seconds)).workers
    }

    @Test func quotaIsUnknownUntilCounted() {
        var census = QuotaCensus()
        #expect(census.ask("fcm/p", now: start) == (nil, true))
        #expect(census.ask("fcm/p", now: start) == (nil, false), "one write of the row is enough")
        #expect(census.names(now: start) == ["fcm/p"])
        census.counted([:], now: start)
        #expect(ask(&census) == nil, "this count was started before the quota was asked for")
        census.counted(["fcm/p": 4, "fcm/other": 7], now: start)
        #expect(ask(&census) == 4)
        #expect(census.workers == ["fcm/p": 4], "no output asked for the other quota")
    }

    @Test func forgetsQuotaUnusedForAMinute() {
        var census = QuotaCensus()
        _ = ask(&census)
        census.counted(["fcm/p": 4], now: start)
        #expect(ask(&census, at: 59) == 4)
        #expect(census.names(now: at(118.9)) == ["fcm/p"])
        #expect(census.names(now: at(119)) == [])
        #expect(census.ask("fcm/p", now: at(119)) == (nil, true))
    }

    @Test func followsNumberOfWorkers() {
        var census = QuotaCensus()
        _ = ask(&census)
        for (second, count) in [4, 5, 3, 1].enumerated() {
            census.counted(["fcm/p": count], now: at(Double(second)))
            #expect(ask(&census) == count)
        }
    }

    /// After an outage some workers reconnect sooner than others, so a count must not fall at once.
    @Test func keepsCountThroughOutage() {
        var census = QuotaCensus()
        _ = ask(&census)
        census.counted(["fcm/p": 4], now: start)
        census.failed()
        #expect(ask(&census, at: 50) == 4)
        #expect(ask(&census, "fcm/new", at: 50) == nil)
        census.counted(["fcm/p": 1, "fcm/new": 1], now: at(50))
        #expect(ask(&census, at: 50) == 4)
        #expect(ask(&census, "fcm/new", at: 50) == 1)
        census.counted(["fcm/p": 5], now: at(52))
        #expect(ask(&census, at: 52) == 5)
        census.counted(["fcm/p": 3], now: at(64))
        #expect(ask(&census, at: 64) == 5)
        census.counted(["fcm/p": 3], now: at(65))
        #expect(ask(&census, at: 65) == 3)
    }

    @Test func assumesSingleWorkerWithoutPermission() {
        var census = QuotaCensus()
        _ = ask(&census)
        census.refused()
        #expect(ask(&census) == 1)
        #expect(census.ask("fcm/new", now: start) == (1, true))
        census.counted(["fcm/p": 4, "fcm/new": 2], now: start)
        #expect(ask(&census) == 4)
        #expect(ask(&census, "fcm/new") == 2)
        #expect(ask(&census, "fcm/third") == nil)
    }
}
