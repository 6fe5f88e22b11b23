/// How many jobs of an overflow queue the broker hands out to this worker ahead of their acknowledgement. A value: what it
/// holds goes in, at a steady beat, and a new prefetch comes out when there is one.
///
/// A flood waits there for the whole fleet, in jobs of any size. So the prefetch grows while it is what keeps the worker
/// waiting, and is cut when more waits than the worker sends in a few seconds. It is the queue's, whatever becomes of the
/// connection.
///
/// | waiting is | then |
/// |---|---|
/// | nothing, or less than half a second's work | it is doubled, if it was used up and jobs are settled, sent or not |
/// | more than four seconds' work, for two seconds | it is halved until what waits would be one second's work |
/// | nothing, and less than a quarter of it was handed out | it is halved: the flood is over |
/// | anything else | it stays |
package struct PrefetchControl {
    /// Where it begins, and the least: jobs.
    package static let least = 4
    /// The beat.
    package static let milliseconds = 250
    private static let patience = 8

    private let most: Int
    package private(set) var prefetch: Int
    var isAtLeast: Bool { prefetch <= Self.least }
    private var mostHeld = 0
    private var beatsBeyond = 0

    package init(most: Int) {
        self.most = most
        prefetch = min(most, Self.least)
    }

    /// Deliveries that are not settled at this moment.
    package mutating func holds(_ jobs: Int) { mostHeld = max(mostHeld, jobs) }

    /// - Parameters:
    ///   - waiting: recipients of jobs that can't be started yet.
    ///   - pace: recipients a second of this queue.
    ///   - isSettling: deliveries of this queue were settled lately, whatever became of them.
    /// - Returns: the prefetch, if it changes.
    package mutating func beat(waiting: Int, pace: Int, isSettling: Bool) -> Int? {
        let (isUsedUp, isOver) = (mostHeld >= prefetch, waiting == 0 && mostHeld < prefetch / 4)
        mostHeld = 0
        beatsBeyond = waiting > 4 * pace ? beatsBeyond + 1 : 0
        let before = prefetch
        if isUsedUp, isSettling, waiting == 0 || waiting < pace / 2 {
            prefetch = min(most, prefetch * 2)
        } else if beatsBeyond >= Self.patience {
            var excess = waiting
            while excess > pace, prefetch > Self.least { (excess, prefetch) = (excess / 2, prefetch / 2) }
            prefetch = min(most, max(Self.least, prefetch))
            beatsBeyond = 0
        } else if isOver {
            prefetch = max(min(most, Self.least), prefetch / 2)
        }
        return prefetch == before ? nil : prefetch
    }
}
