/// A detector of mix-ups, for example of Apple's environments. A mix-up is assumed if the provider has called more than
/// half of an app's last thousand tokens bad. This is not proof, so a mix-up is only reported. A value type without
/// clock or I/O.
package struct BadTokenDetector: Sendable {
    package enum Change {
        case began
        case ended
    }

    /// The number of most recent answers that are counted.
    package static let window = 1_000
    /// The minimum time and number of answers before good answers can end a mix-up. At least half of these answers must
    /// be good.
    package static let endingMilliseconds: Int64 = 30_000
    package static let endingAnswers = 20
    /// The time without a bad answer that ends a mix-up, in milliseconds, regardless of the number of good answers.
    package static let quietMilliseconds: Int64 = 600_000
    /// The minimum time between two log lines about a mix-up, in milliseconds.
    package static let leastBetweenLinesMilliseconds: Int64 = 60_000

    /// A ring buffer with the last answers, where `true` is a bad answer. It is empty until the first bad answer.
    private var answers: [Bool] = []
    private var place = 0
    /// The number of bad answers in the ring.
    package private(set) var bad = 0
    package private(set) var isMixedUp = false
    /// The numbers of good and bad answers since the mix-up began or was last confirmed. `since` is the uptime at that
    /// moment, in milliseconds.
    private var recent = (good: 0, bad: 0, since: Int64(0))
    private var lastBad: Int64 = 0
    private var lastLine: Int64?

    package init() {}

    /// Records an answer that does not call the token bad.
    package mutating func good() {
        guard !answers.isEmpty else { return }
        recent.good += 1
        answered(false)
    }

    package mutating func bad(nowMilliseconds now: Int64) {
        if answers.isEmpty { answers = Array(repeating: false, count: Self.window) }
        lastBad = now
        recent.bad += 1
        answered(true)
    }

    private mutating func answered(_ isBad: Bool) {
        bad += (isBad ? 1 : 0) - (answers[place] ? 1 : 0)
        answers[place] = isBad
        place = place + 1 < Self.window ? place + 1 : 0
    }

    /// Returns whether a mix-up began or ended, or `nil` for no change. Call this once a second.
    package mutating func look(nowMilliseconds now: Int64) -> Change? {
        guard isMixedUp else {
            guard bad * 2 > Self.window, now - lastBad < Self.quietMilliseconds else { return nil }
            (isMixedUp, recent) = (true, (0, 0, now))
            return .began
        }
        if now - lastBad >= Self.quietMilliseconds {
            isMixedUp = false
            return .ended
        }
        guard now - recent.since >= Self.endingMilliseconds, recent.good + recent.bad >= Self.endingAnswers else {
            return nil
        }
        guard recent.good >= recent.bad else {
            recent = (0, 0, now)
            return nil
        }
        (isMixedUp, answers, bad, place) = (false, [], 0, 0)
        return .ended
    }

    /// Returns whether to log a line. This is the case at most once a minute, while the mix-up lasts and bad answers
    /// arrive.
    package mutating func mayLog(nowMilliseconds now: Int64) -> Bool {
        guard isMixedUp else { return false }
        if let lastLine, lastBad <= lastLine || now - lastLine < Self.leastBetweenLinesMilliseconds { return false }
        lastLine = now
        return true
    }
}
