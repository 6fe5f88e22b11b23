import FCMOutput
import Testing

/// The number of messages that may be sent per minute, and their distribution over the minute.
@Suite struct QuotaRateLimiterTests {
    /// Returns the number of messages sent in an interval if the sender always sends as many as it may and then waits
    /// as long as required.
    private func sent(
        perMinute: Int, workers: Int?, milliseconds: ClosedRange<Int64>, limiter: inout QuotaRateLimiter
    ) -> Int {
        var now = milliseconds.lowerBound
        var sent = 0
        while now <= milliseconds.upperBound {
            limiter.refill(workers: workers, nowMilliseconds: now)
            sent += limiter.draw(upTo: .max)
            now += limiter.wait(workers: workers)
        }
        return sent
    }

    @Test(arguments: [(600_000, 1), (600_000, 4), (600_000, 100), (6_000, 4), (600, 3)])
    func usesQuotaWithoutExceedingLimit(perMinute: Int, workers: Int) {
        var limiter = QuotaRateLimiter(perMinute: perMinute)
        let minute = sent(perMinute: perMinute, workers: workers, milliseconds: 0...59_999, limiter: &limiter)
        #expect(Double(minute * workers) <= Double(perMinute))
        #expect(Double(minute * workers) >= 0.9 * Double(perMinute))
    }

    @Test func savesNoQuotaDuringPause() {
        var limiter = QuotaRateLimiter(perMinute: 600_000)
        _ = sent(perMinute: 600_000, workers: 1, milliseconds: 0...1_000, limiter: &limiter)
        let burst = sent(perMinute: 600_000, workers: 1, milliseconds: 3_600_000...3_600_000, limiter: &limiter)
        #expect(burst <= 2_500)
    }

    @Test func sendsTenthOfQuotaWhileWorkersAreUnknown() {
        var limiter = QuotaRateLimiter(perMinute: 600_000)
        let second = sent(perMinute: 600_000, workers: nil, milliseconds: 0...999, limiter: &limiter)
        #expect((900...1_000).contains(second))
    }

    @Test func dividesQuotaAtOnceWhenWorkerJoins() {
        var limiter = QuotaRateLimiter(perMinute: 600_000)
        _ = sent(perMinute: 600_000, workers: 1, milliseconds: 0...999, limiter: &limiter)
        let second = sent(perMinute: 600_000, workers: 2, milliseconds: 1_000...1_999, limiter: &limiter)
        #expect((4_500...5_000).contains(second))
    }

    /// While the number of workers is briefly unknown, messages must wait in the worker. A delay queue would delay them
    /// by half a minute.
    @Test func waitsUntilNumberOfWorkersIsKnown() {
        var limiter = QuotaRateLimiter(perMinute: 600)
        func room(_ workers: Int?, at now: Int64) -> Int? {
            limiter.refill(workers: workers, nowMilliseconds: now)
            return limiter.room(within: 60, workers: workers)
        }
        #expect(room(nil, at: 0) == nil && room(nil, at: 100) == nil)
        #expect(room(2, at: 110) == 291)
        #expect(room(nil, at: 70_000) == nil, "the number of workers is forgotten after a minute without use")
        #expect(room(nil, at: 72_999) == nil)
        #expect(room(nil, at: 73_000) == 58, "after 3 s without a number, a tenth of the quota applies")
        #expect(room(nil, at: 74_000) == 58)
        #expect(room(nil, at: 140_000) == nil, "the number is unknown again after a minute without use")
        #expect(room(1, at: 140_100) == 582)
    }
}
