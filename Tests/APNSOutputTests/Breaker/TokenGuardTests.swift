import APNSOutput
import PushTestSupport
import Testing

@Suite struct TokenGuardTests {
    private func judgement(goodBefore: Int, goodAfter: Int, bad: Int = 1, after milliseconds: Int64)
        -> TokenGuard.Judgement
    {
        var tokens = TokenGuard()
        for _ in 0..<goodBefore { tokens.good() }
        var suspicion = tokens.bad(nowMilliseconds: 0)
        for _ in 1..<bad { suspicion = tokens.bad(nowMilliseconds: 0) }
        for _ in 0..<goodAfter { tokens.good() }
        return tokens.judge(suspicion, nowMilliseconds: milliseconds)
    }

    @Test(
        arguments: [
            (100, 1, 1, 999, .wait), (100, 1, 1, 1_000, .bad), (0, 4, 1, 1_000, .bad),
            // One of five is a fifth; one of four is more.
            (0, 3, 1, 1_000, .unknown), (7, 1, 2, 1_000, .bad), (6, 1, 2, 1_000, .unknown),
            // Nothing good has come since: it may be the beginning of a mix-up.
            (1_000, 0, 1, 1_000, .wait), (1_000, 0, 1, 4_999, .wait), (1_000, 0, 1, 5_000, .unknown),
            // A burst is one whatever was before.
            (1_000, 0, 20, 1_000, .unknown),
        ] as [(Int, Int, Int, Int64, TokenGuard.Judgement)])
    func isBad(goodBefore: Int, goodAfter: Int, bad: Int, milliseconds: Int64, expected: TokenGuard.Judgement) {
        #expect(judgement(goodBefore: goodBefore, goodAfter: goodAfter, bad: bad, after: milliseconds) == expected)
    }

    @Test func aBurstIsTwentyInARow() {
        var tokens = TokenGuard()
        for _ in 0..<19 { _ = tokens.bad(nowMilliseconds: 0) }
        #expect(!tokens.isBurst)
        tokens.good()
        for _ in 0..<19 { _ = tokens.bad(nowMilliseconds: 0) }
        #expect(!tokens.isBurst)
        _ = tokens.bad(nowMilliseconds: 0)
        #expect(tokens.isBurst)
    }

    @Test func whatIsLongAgoDoesNotCount() {
        var tokens = TokenGuard()
        for _ in 0..<100 { _ = tokens.bad(nowMilliseconds: 0) }
        for second in stride(from: 0, through: 600_000, by: 1_000) { tokens.tick(nowMilliseconds: Int64(second)) }
        let suspicion = tokens.bad(nowMilliseconds: 600_000)
        for _ in 0..<4 { tokens.good() }
        #expect(tokens.judge(suspicion, nowMilliseconds: 601_000) == .bad)
    }

    /// Whatever came before: once every token is bad, none is believed to be.
    @Test(arguments: 0..<50) func aMixUpMarksNothing(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var tokens = TokenGuard()
        for _ in 0..<Int.random(in: 0..<2_000, using: &random) {
            if Int.random(in: 0..<20, using: &random) == 0 { _ = tokens.bad(nowMilliseconds: 0) } else { tokens.good() }
        }
        let suspicions = (0..<30).map { tokens.bad(nowMilliseconds: Int64($0) * 300) }
        for now in stride(from: Int64(9_000), through: 20_000, by: 1_000) {
            for suspicion in suspicions { #expect(tokens.judge(suspicion, nowMilliseconds: now) != .bad) }
        }
    }
}
