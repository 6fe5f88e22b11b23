/// The schedule of checks whether the lanes have shards that this worker does not consume. Called every 30 seconds. A
/// value type.
package struct ShardWatch: Sendable {
    private struct Situation: Hashable {
        let lacksShards: Bool
        let shards: Int
        let most: Int
    }

    /// The longest interval between two checks, in half minutes: one hour.
    private static let longestWait = 120

    /// The situation in which a check was last due, or `nil` if none is due.
    private var situation: Situation?
    /// The interval between two checks that find nothing new, and the elapsed part of it, both in half minutes.
    private var (wait, waited) = (1, 0)

    package init() {}

    /// Returns whether a check is due.
    ///
    /// - Parameter most: the highest number of shards that any worker reports.
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
