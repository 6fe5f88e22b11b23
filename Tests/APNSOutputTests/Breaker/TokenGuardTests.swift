import APNSOutput
import PushTestSupport
import Testing

@Suite struct TokenGuardTests {
    /// Good ones sent at 0, bad ones at 10, good ones at `later`; judged after so many milliseconds.
    private func judgement(
        good: Int, bad: Int = 1, goodLater: Int, at later: Int64 = 10, after milliseconds: Int64
    ) -> TokenGuard.Judgement {
        var tokens = TokenGuard()
        for _ in 0..<good { tokens.good(sentAt: 0) }
        var suspicion = tokens.bad(sentAt: 10, nowMilliseconds: 10)
        for _ in 1..<bad { suspicion = tokens.bad(sentAt: 10, nowMilliseconds: 10) }
        for _ in 0..<goodLater { tokens.good(sentAt: later) }
        return tokens.judge(suspicion, nowMilliseconds: 10 + milliseconds)
    }

    @Test(
        arguments: [
            (100, 1, 1, 999, .wait), (100, 1, 1, 1_000, .bad), (0, 1, 4, 1_000, .bad),
            // One of five is a fifth; one of four is more.
            (0, 1, 3, 1_000, .unknown), (7, 2, 1, 1_000, .bad), (6, 2, 1, 1_000, .unknown),
            // Nothing good was sent since: it may be the beginning of a mix-up.
            (1_000, 1, 0, 1_000, .wait), (1_000, 1, 0, 4_999, .wait), (1_000, 1, 0, 5_000, .unknown),
            // A burst is one whatever was before.
            (1_000, 20, 0, 1_000, .unknown),
        ] as [(Int, Int, Int, Int64, TokenGuard.Judgement)])
    func isBad(good: Int, bad: Int, goodLater: Int, milliseconds: Int64, expected: TokenGuard.Judgement) {
        #expect(judgement(good: good, bad: bad, goodLater: goodLater, after: milliseconds) == expected)
    }

    /// Answered after the bad one, but sent before it: that shows nothing.
    @Test func aGoodOneOfBeforeIsNoWitness() {
        #expect(judgement(good: 100, goodLater: 10, at: 9, after: 1_000) == .wait)
    }

    @Test func aBurstIsTwentyInARow() {
        var tokens = TokenGuard()
        for _ in 0..<19 { _ = tokens.bad(sentAt: 0, nowMilliseconds: 0) }
        #expect(!tokens.isBurst)
        tokens.good(sentAt: 0)
        for _ in 0..<19 { _ = tokens.bad(sentAt: 0, nowMilliseconds: 0) }
        #expect(!tokens.isBurst)
        _ = tokens.bad(sentAt: 0, nowMilliseconds: 0)
        #expect(tokens.isBurst)
    }

    @Test func whatIsLongAgoDoesNotCount() {
        var tokens = TokenGuard()
        for _ in 0..<100 { _ = tokens.bad(sentAt: 0, nowMilliseconds: 0) }
        for second in stride(from: 0, through: 600_000, by: 1_000) { tokens.tick(nowMilliseconds: Int64(second)) }
        let suspicion = tokens.bad(sentAt: 600_000, nowMilliseconds: 600_000)
        for _ in 0..<4 { tokens.good(sentAt: 600_000) }
        #expect(tokens.judge(suspicion, nowMilliseconds: 601_000) == .bad)
    }

    /// Whatever came before: once every token is bad, none is believed to be.
    @Test(arguments: 0..<50) func aMixUpMarksNothing(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var tokens = TokenGuard()
        for _ in 0..<Int.random(in: 0..<2_000, using: &random) {
            if Int.random(in: 0..<20, using: &random) == 0 {
                _ = tokens.bad(sentAt: 0, nowMilliseconds: 0)
            } else {
                tokens.good(sentAt: 0)
            }
        }
        let suspicions = (0..<30).map { tokens.bad(sentAt: Int64($0) * 300 + 1, nowMilliseconds: Int64($0) * 300 + 2) }
        for now in stride(from: Int64(9_000), through: 20_000, by: 1_000) {
            for suspicion in suspicions { #expect(tokens.judge(suspicion, nowMilliseconds: now) != .bad) }
        }
    }
}
