import HTTP2Pool
import Testing

@Suite struct SharedConnectionLimitTests {
    @Test func reservesConnectionsForOtherPools() {
        let limit = SharedConnectionLimit(8)
        #expect(limit.take(upTo: 8, beside: 0, nowMilliseconds: 0) == 6, "one pool may take at most three quarters")
        #expect(limit.take(upTo: 8, beside: 6, nowMilliseconds: 0) == 0)
        #expect(limit.take(upTo: 4, beside: 0, nowMilliseconds: 0) == 1, "another pool may take its first connection")
        #expect(limit.take(upTo: 1, beside: 1, nowMilliseconds: 0) == 0)
        #expect(limit.take(upTo: 1, beside: 0, nowMilliseconds: 0) == 1)
        #expect(limit.take(upTo: 1, beside: 0, nowMilliseconds: 0) == 0, "all connections are taken")
    }

    @Test(arguments: [1, 2, 3]) func usesSmallLimitCompletely(places: Int) {
        let limit = SharedConnectionLimit(places)
        let taken = (0...places).map { _ in limit.take(upTo: 1, beside: 0, nowMilliseconds: 0) }
        #expect(taken == Array(repeating: 1, count: places) + [0])
    }

    @Test func requestsIdleConnectionsBackForWaitingPools() {
        let limit = SharedConnectionLimit(4)
        _ = limit.take(upTo: 4, beside: 0, nowMilliseconds: 0)
        #expect(limit.wantsBack(isLast: false, nowMilliseconds: 0), "at the limit, an idle connection must be released")
        #expect(!limit.wantsBack(isLast: true, nowMilliseconds: 0), "no pool waits for the connection")
        _ = limit.take(upTo: 1, beside: 0, nowMilliseconds: 0)
        _ = limit.take(upTo: 1, beside: 0, nowMilliseconds: 1_000)
        #expect(limit.wantsBack(isLast: true, nowMilliseconds: 2_999))
        #expect(!limit.wantsBack(isLast: true, nowMilliseconds: 3_000), "a waiting pool would have asked again")
        limit.release(2)
        #expect(!limit.wantsBack(isLast: false, nowMilliseconds: 3_000))
    }
}
