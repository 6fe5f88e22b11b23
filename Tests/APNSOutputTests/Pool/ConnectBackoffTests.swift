import APNSOutput
import Testing

@Suite struct ConnectBackoffTests {
    @Test func doublesUpToAMinute() {
        var backoff = ConnectBackoff()
        let almostOne = 1.0.nextDown
        let waits = (0..<9).map { _ in backoff.failed(random: almostOne) }
        let longest: [Int64] = [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]
        #expect(zip(waits, longest).allSatisfy { (($1 - 1)...$1).contains($0) }, "\(waits)")
        #expect(backoff.failures == 9)
    }

    @Test func neverLessThanATenth() {
        var backoff = ConnectBackoff()
        #expect((0..<8).map { _ in backoff.failed(random: 0) } == [100, 200, 400, 800, 1600, 3200, 6000, 6000])
    }

    @Test func theJitterIsSpreadOverTheWholeSpan() {
        let waits = [0, 0.25, 0.5, 0.75].map { random in
            var backoff = ConnectBackoff()
            return backoff.failed(random: random)
        }
        #expect(waits == [100, 325, 550, 775])
    }

    @Test func successBeginsAnew() {
        var backoff = ConnectBackoff()
        for _ in 0..<5 { _ = backoff.failed(random: 0.5) }
        backoff.succeeded()
        #expect(backoff.failures == 0)
        #expect(backoff.failed(random: 0) == 100)
    }

    @Test func manyFailuresDoNotOverflow() {
        var backoff = ConnectBackoff()
        for _ in 0..<7 { _ = backoff.failed(random: 0) }
        for _ in 7..<1_000 {
            let wait = backoff.failed(random: 0)
            #expect(wait == 6_000, "after \(backoff.failures) failures")
        }
    }
}
