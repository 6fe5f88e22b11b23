/// Notices a mix-up, such as one of Apple's environments: more than half of the last thousand answers to an app called the
/// token bad. It is no proof, so nothing follows from it but that it is told. A value: no clock, no I/O.
package struct BadTokenWatch: Sendable {
    package enum Change {
        case began
        case ended
    }

    package static let window = 1_000
    /// After so long without a bad token the mix-up is over: the app's pushes go elsewhere.
    package static let quietMilliseconds: Int64 = 600_000
    package static let leastBetweenLinesMilliseconds: Int64 = 60_000

    /// Whether they were bad, in a ring; empty until the first was, since all before it were good.
    private var answers: [Bool] = []
    private var place = 0
    /// Among the last thousand.
    package private(set) var bad = 0
    package private(set) var isMixedUp = false
    private var lastBad: Int64 = 0
    private var lastLine: Int64?

    package init() {}

    /// For every answer.
    package mutating func good() {
        if !answers.isEmpty { answered(false) }
    }

    package mutating func bad(nowMilliseconds now: Int64) {
        if answers.isEmpty { answers = Array(repeating: false, count: Self.window) }
        lastBad = now
        answered(true)
    }

    private mutating func answered(_ isBad: Bool) {
        bad += (isBad ? 1 : 0) - (answers[place] ? 1 : 0)
        answers[place] = isBad
        place = place + 1 < Self.window ? place + 1 : 0
    }

    /// Once a second.
    package mutating func look(nowMilliseconds now: Int64) -> Change? {
        let wasMixedUp = isMixedUp
        isMixedUp = bad * 2 > Self.window && now - lastBad < Self.quietMilliseconds
        return isMixedUp == wasMixedUp ? nil : isMixedUp ? .began : .ended
    }

    /// Whether the log is to say it: while it lasts and bad tokens come, once a minute.
    package mutating func mayLog(nowMilliseconds now: Int64) -> Bool {
        guard isMixedUp else { return false }
        if let lastLine, lastBad <= lastLine || now - lastLine < Self.leastBetweenLinesMilliseconds { return false }
        lastLine = now
        return true
    }
}
