import PushSending
import Testing

@Suite struct BadTokenDetectorTests {
    /// Returns a detector that has recorded these numbers of bad answers and then good answers.
    private func detector(bad: Int, good: Int = 0) -> BadTokenDetector {
        var detector = BadTokenDetector()
        for _ in 0..<bad { detector.bad(nowMilliseconds: 0) }
        for _ in 0..<good { detector.good() }
        return detector
    }

    private func look(_ detector: inout BadTokenDetector, at now: Int64 = 0) -> BadTokenDetector.Change? {
        detector.look(nowMilliseconds: now)
    }

    @Test func beginsWhenMoreThanHalfOfAnswersAreBad() {
        var detector = detector(bad: 500)
        #expect(look(&detector) == nil && !detector.isMixedUp)
        detector.bad(nowMilliseconds: 0)
        #expect(look(&detector) == .began && detector.isMixedUp)
        #expect(look(&detector) == nil, "the beginning must be reported once")
    }

    @Test func countsOnlyLastThousandAnswers() {
        var many = BadTokenDetector()
        for _ in 0..<100_000 { many.good() }
        for _ in 0..<501 { many.bad(nowMilliseconds: 0) }
        #expect(look(&many) == .began, "older answers must not count")
        for _ in 0..<499 { many.good() }
        #expect(many.bad == 501)
        for _ in 0..<501 { many.good() }
        #expect(many.bad == 0)
    }

    @Test func doesNotBeginAtFivePercentBadTokens() {
        var detector = BadTokenDetector()
        for number in 0..<20_000 {
            if number % 20 == 0 { detector.bad(nowMilliseconds: 0) } else { detector.good() }
        }
        #expect(detector.bad == 50 && look(&detector) == nil)
    }

    @Test(arguments: [(good: 20, bad: 0), (good: 10, bad: 10), (good: 30, bad: 3)])
    func endsWhenHalfOfTwentyAnswersAreGood(good: Int, bad: Int) {
        let end = BadTokenDetector.endingMilliseconds
        var detector = detector(bad: 1_000)
        #expect(look(&detector) == .began)
        for _ in 0..<bad { detector.bad(nowMilliseconds: 1) }
        for _ in 0..<good { detector.good() }
        #expect(look(&detector, at: end - 1) == nil)
        #expect(look(&detector, at: end) == .ended && !detector.isMixedUp)
        #expect(look(&detector, at: end + 1) == nil, "the old answers must not count again")
    }

    @Test func continuesWhileMostAnswersAreBad() {
        let end = BadTokenDetector.endingMilliseconds
        var detector = detector(bad: 600)
        #expect(look(&detector) == .began)
        for _ in 0..<20 { detector.bad(nowMilliseconds: 1) }
        for _ in 0..<19 { detector.good() }
        #expect(look(&detector, at: end) == nil && detector.isMixedUp)
        for _ in 0..<19 { detector.good() }
        #expect(look(&detector, at: 2 * end) == nil, "19 answers are too few")
        detector.good()
        #expect(look(&detector, at: 2 * end) == .ended)
    }

    @Test func beginsAgainAtFirstBadTokenAfterQuietTime() {
        var detector = detector(bad: 600)
        #expect(look(&detector) == .began)
        #expect(look(&detector, at: BadTokenDetector.quietMilliseconds - 1) == nil)
        #expect(look(&detector, at: BadTokenDetector.quietMilliseconds) == .ended)
        detector.bad(nowMilliseconds: BadTokenDetector.quietMilliseconds + 1)
        #expect(look(&detector, at: BadTokenDetector.quietMilliseconds + 1) == .began, "the answers are remembered")
    }

    @Test func logsBadTokensOncePerMinute() {
        var detector = detector(bad: 500)
        var lines: [Int64] = []
        for second in 0..<200 as Range<Int64> {
            let now = second * 1_000
            if second < 110 { detector.bad(nowMilliseconds: now) }
            _ = look(&detector, at: now)
            if detector.mayLog(nowMilliseconds: now) { lines.append(second) }
        }
        #expect(lines == [0, 60, 120], "no line without a bad token since the last line")
    }
}
