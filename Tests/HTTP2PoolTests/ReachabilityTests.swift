import HTTP2Pool
import Testing

@Suite struct ReachabilityTests {
    @Test func reportsUnreachableAfter30SecondsOfFailures() {
        var way = Reachability()
        #expect(!way.isUnreachable(nowMilliseconds: 1_000_000))
        way.failed(nowMilliseconds: 1_000)
        #expect(!way.isUnreachable(nowMilliseconds: 30_999))
        #expect(way.isUnreachable(nowMilliseconds: 31_000))
        way.failed(nowMilliseconds: 40_000)
        #expect(way.isUnreachable(nowMilliseconds: 40_000), "the time counts from the first failure")
    }

    @Test func endsUnreachableStateOnConnection() {
        var way = Reachability()
        way.failed(nowMilliseconds: 0)
        way.connected()
        #expect(!way.isUnreachable(nowMilliseconds: 60_000))
        way.failed(nowMilliseconds: 60_000)
        #expect(!way.isUnreachable(nowMilliseconds: 89_000))
        #expect(way.isUnreachable(nowMilliseconds: 90_000))
    }

    @Test func forgetsFailureAfterTwoHoursWithoutAttempt() {
        var way = Reachability()
        way.failed(nowMilliseconds: 0)
        #expect(way.isUnreachable(nowMilliseconds: 7_199_999))
        #expect(!way.isUnreachable(nowMilliseconds: 7_200_000))
        way.failed(nowMilliseconds: 9_000_000)
        #expect(!way.isUnreachable(nowMilliseconds: 9_000_000))
        #expect(way.isUnreachable(nowMilliseconds: 9_030_000))
    }
}
