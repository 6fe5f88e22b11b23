package import PushModel

/// How many jobs were sent and settled lately. A value.
package struct Pace {
    private var second: Int64 = 0
    private var count = 0
    private var countBefore = 0

    package init() {}

    package mutating func settled(at now: Timestamp) {
        if now.seconds != second {
            countBefore = now.seconds == second + 1 ? count : 0
            (second, count) = (now.seconds, 0)
        }
        count += 1
    }

    /// Jobs in half a second, going by this second or the one before, whichever had more.
    package func inHalfASecond(now: Timestamp) -> Int {
        switch now.seconds - second {
        case 0: max(count, countBefore) / 2
        case 1: count / 2
        default: 0
        }
    }
}
