/// When to look whether the lanes have other queues than this worker consumes. Asked each half minute. A value.
package struct ShardWatch: Sendable {
    private struct Situation: Hashable {
        let lacksShards: Bool
        let shards: Int
        let most: Int
    }

    /// An hour.
    private static let longestWait = 120

    /// In which a look was due; nil: none is.
    private var situation: Situation?
    /// From one look to the next that finds nothing new, and what of it is over; both in half minutes.
    private var (wait, waited) = (1, 0)

    package init() {}

    /// - Parameter most: how many queues a lane has, as the worker says that knows of most.
    package mutating func mustLook(_ counts: PipelineCounts, most: Int) -> Bool {
        guard counts.lacksShards || most > counts.shards else {
            situation = nil
            return false
        }
        let now = Situation(lacksShards: counts.lacksShards, shards: counts.shards, most: most)
        guard now == situation else {
            (situation, wait, waited) = (now, 1, 0)
            return true
        }
        waited += 1
        guard waited >= wait else { return false }
        (wait, waited) = (min(wait * 2, Self.longestWait), 0)
        return true
    }
}
