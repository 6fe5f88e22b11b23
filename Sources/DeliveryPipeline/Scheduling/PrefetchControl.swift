/// The controller of this worker's prefetch for a waiting queue. The caller records the number of held deliveries
/// after every turn, and requests adjustments at a steady interval. A value type without clock or I/O.
///
/// A waiting queue contains jobs of any size for the whole fleet. Therefore the prefetch grows while it limits the
/// worker. It shrinks if more work is waiting than the worker sends in a few seconds. The prefetch belongs to the queue
/// and survives a lost connection.
///
/// | waiting work | prefetch |
/// |---|---|
/// | less than half a second of work | doubled, if it was used up and deliveries are settled |
/// | more than four seconds of work, for two seconds | halved until one second of work is left |
/// | none, and little of the prefetch was used | halved, but set to at least the initial prefetch |
/// | any other amount | unchanged |
package struct PrefetchControl {
    /// The initial prefetch, in jobs, to which the prefetch also returns when nothing waits.
    package static let first = 4
    /// The lowest prefetch, in jobs, while more work is waiting than the worker sends.
    private static let least = 1
    /// The interval between two adjustments, in milliseconds.
    package static let milliseconds = 250
    private static let patience = 8

    private let most: Int
    package private(set) var prefetch: Int
    var isAtFirst: Bool { prefetch == min(most, Self.first) }
    private var mostHeld = 0
    private var beatsBeyond = 0

    package init(most: Int) {
        self.most = most
        prefetch = min(most, Self.first)
    }

    /// Records the number of deliveries from the queue that are currently unsettled.
    package mutating func holds(_ jobs: Int) { mostHeld = max(mostHeld, jobs) }

    /// Adjusts the prefetch. The caller does this at a steady interval (``milliseconds``).
    ///
    /// - Parameters:
    ///   - waiting: the number of recipients of jobs that cannot be started yet.
    ///   - throughput: the throughput of this queue, in recipients per second.
    ///   - isSettling: whether deliveries of this queue were settled recently, with any result.
    /// - Returns: the new prefetch, or `nil` if it does not change.
    package mutating func beat(waiting: Int, throughput: Int, isSettling: Bool) -> Int? {
        let (isUsedUp, isOver) = (mostHeld >= prefetch, waiting == 0 && mostHeld < max(1, prefetch / 4))
        mostHeld = 0
        beatsBeyond = waiting > 4 * throughput ? beatsBeyond + 1 : 0
        let before = prefetch
        if isUsedUp, isSettling, waiting == 0 || waiting < throughput / 2 {
            prefetch = min(most, prefetch * 2)
        } else if beatsBeyond >= Self.patience {
            var excess = waiting
            while excess > throughput, prefetch > Self.least { (excess, prefetch) = (excess / 2, prefetch / 2) }
            prefetch = min(most, max(Self.least, prefetch))
            beatsBeyond = 0
        } else if isOver {
            prefetch = max(min(most, Self.first), prefetch / 2)
        }
        return prefetch == before ? nil : prefetch
    }
}
