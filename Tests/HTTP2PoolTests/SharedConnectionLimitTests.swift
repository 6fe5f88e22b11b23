import HTTP2Pool
import Testing

@Suite struct SharedConnectionLimitTests {
    @Test func oneOfManyCannotTakeAll() {
        let limit = SharedConnectionLimit(8)
        #expect(limit.take(upTo: 8, beside: 0, nowMilliseconds: 0) == 6, "three quarters")
        #expect(limit.take(upTo: 8, beside: 6, nowMilliseconds: 0) == 0)
        #expect(limit.take(upTo: 4, beside: 0, nowMilliseconds: 0) == 1, "the first of another")
        #expect(limit.take(upTo: 1, beside: 1, nowMilliseconds: 0) == 0)
        #expect(limit.take(upTo: 1, beside: 0, nowMilliseconds: 0) == 1)
        #expect(limit.take(upTo: 1, beside: 0, nowMilliseconds: 0) == 0, "there are no more")
    }

    @Test(arguments: [1, 2, 3]) func aSmallOneIsUsedWhole(places: Int) {
        let limit = SharedConnectionLimit(places)
        let taken = (0...places).map { _ in limit.take(upTo: 1, beside: 0, nowMilliseconds: 0) }
        #expect(taken == Array(repeating: 1, count: places) + [0])
    }

    @Test func whatIsIdleIsGivenBackToThoseWhoNeedIt() {
        let limit = SharedConnectionLimit(4)
        _ = limit.take(upTo: 4, beside: 0, nowMilliseconds: 0)
        #expect(limit.wantsBack(isLast: false, nowMilliseconds: 0), "growth ends here, so what is idle is too much")
        #expect(!limit.wantsBack(isLast: true, nowMilliseconds: 0), "nobody waits for it")
        _ = limit.take(upTo: 1, beside: 0, nowMilliseconds: 0)
        _ = limit.take(upTo: 1, beside: 0, nowMilliseconds: 1_000)
        #expect(limit.wantsBack(isLast: true, nowMilliseconds: 2_999))
        #expect(!limit.wantsBack(isLast: true, nowMilliseconds: 3_000), "whoever waits would have asked again")
        limit.release(2)
        #expect(!limit.wantsBack(isLast: false, nowMilliseconds: 3_000))
    }
}
