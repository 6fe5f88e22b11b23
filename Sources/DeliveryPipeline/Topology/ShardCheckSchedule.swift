/// The schedule of checks for shards that this worker does not consume. The caller uses it every 30 seconds. A value
/// type without clock or I/O.
package struct ShardCheckSchedule: Sendable {
    private struct Situation: Hashable {
        let lacksShards: Bool
        let shards: Int
        let most: Int
    }

    /// The longest interval between two checks, in half minutes: one hour.
    private static let longestWait = 120

    /// The situation at the last check, or `nil` if no check is due.
    private var situation: Situation?
    /// The interval between two checks that find nothing new, and the elapsed part of it, both in half minutes.
    private var (wait, waited) = (1, 0)

    package init() {}

    /// Returns whether a check is due. The caller calls this method every 30 seconds.
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
