import PushSending
import Testing

@Suite struct BadTokenWatchTests {
    /// Returns a watch after these numbers of bad answers and then good answers.
    private func watch(bad: Int, good: Int = 0) -> BadTokenWatch {
        var watch = BadTokenWatch()
        for _ in 0..<bad { watch.bad(nowMilliseconds: 0) }
        for _ in 0..<good { watch.good() }
        return watch
    }

    private func look(_ watch: inout BadTokenWatch, at now: Int64 = 0) -> BadTokenWatch.Change? {
        watch.look(nowMilliseconds: now)
    }

    @Test func beginsWhenMoreThanHalfOfAnswersAreBad() {
        var watch = watch(bad: 500)
        #expect(look(&watch) == nil && !watch.isMixedUp)
        watch.bad(nowMilliseconds: 0)
        #expect(look(&watch) == .began && watch.isMixedUp)
        #expect(look(&watch) == nil, "the beginning must be reported once")
    }

    @Test func countsOnlyLastThousandAnswers() {
        var many = BadTokenWatch()
        for _ in 0..<100_000 { many.good() }
        for _ in 0..<501 { many.bad(nowMilliseconds: 0) }
        #expect(look(&many) == .began, "older answers must not count")
        for _ in 0..<499 { many.good() }
        #expect(many.bad == 501)
        for _ in 0..<501 { many.good() }
        #expect(many.bad == 0)
    }

    @Test func doesNotBeginAtFivePercentBadTokens() {
        var watch = BadTokenWatch()
        for number in 0..<20_000 {
            if number % 20 == 0 { watch.bad(nowMilliseconds: 0) } else { watch.good() }
        }
        #expect(watch.bad == 50 && look(&watch) == nil)
    }

    @Test(arguments: [(good: 20, bad: 0), (good: 10, bad: 10), (good: 30, bad: 3)])
    func endsWhenHalfOfTwentyAnswersAreGood(good: Int, bad: Int) {
        let end = BadTokenWatch.endingMilliseconds
        var watch = watch(bad: 1_000)
        #expect(look(&watch) == .began)
        for _ in 0..<bad { watch.bad(nowMilliseconds: 1) }
        for _ in 0..<good { watch.good() }
        #expect(look(&watch, at: end - 1) == nil)
        #expect(look(&watch, at: end) == .ended && !watch.isMixedUp)
        #expect(look(&watch, at: end + 1) == nil, "the old answers must not begin a new mix-up")
    }

    @Test func continuesWhileMostAnswersAreBad() {
        let end = BadTokenWatch.endingMilliseconds
        var watch = watch(bad: 600)
        #expect(look(&watch) == .began)
        for _ in 0..<20 { watch.bad(nowMilliseconds: 1) }
        for _ in 0..<19 { watch.good() }
        #expect(look(&watch, at: end) == nil && watch.isMixedUp)
        for _ in 0..<19 { watch.good() }
        #expect(look(&watch, at: 2 * end) == nil, "19 answers are too few")
        watch.good()
        #expect(look(&watch, at: 2 * end) == .ended)
    }

    @Test func survivesPausesOfTheApp() {
        var watch = watch(bad: 600)
        #expect(look(&watch) == .began)
        #expect(look(&watch, at: BadTokenWatch.quietMilliseconds - 1) == nil)
        #expect(look(&watch, at: BadTokenWatch.quietMilliseconds) == .ended)
        watch.bad(nowMilliseconds: BadTokenWatch.quietMilliseconds + 1)
        #expect(look(&watch, at: BadTokenWatch.quietMilliseconds + 1) == .began, "the answers are remembered")
    }

    @Test func logsOncePerMinuteDuringMixUp() {
        var watch = watch(bad: 500)
        var lines: [Int64] = []
        for second in 0..<200 as Range<Int64> {
            let now = second * 1_000
            if second < 110 { watch.bad(nowMilliseconds: now) }
            _ = look(&watch, at: now)
            if watch.mayLog(nowMilliseconds: now) { lines.append(second) }
        }
        #expect(lines == [0, 60, 120], "no line without a bad token since the last line")
    }
}
