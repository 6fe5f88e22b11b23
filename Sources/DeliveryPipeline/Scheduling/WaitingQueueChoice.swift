import Contract

/// The choice of waiting queues for an app. A value type without clock or I/O.
///
/// Half of a lane's waiting queues are for apps that are paused or have a rate limit, because such apps may occupy a
/// queue for days. The other half is for apps that exceed their share. Each app may use a few queues of a half, in an
/// order that depends on its name. Two apps that wait at the same time therefore usually prefer different queues
/// (AWS, "Workload isolation using shuffle-sharding").
enum WaitingQueueChoice {
    private static let half = JobQueue.waitingQueues / 2
    /// The number of waiting queues that an app may use.
    private static let perApp = 3

    /// Returns the numbers of the waiting queues that an app may use, the preferred one first. They depend only on the
    /// app's name and `isHeld`.
    ///
    /// - Parameter isHeld: whether the app is paused or has a rate limit.
    static func numbers(of app: String, isHeld: Bool) -> [Int] {
        // FNV-1a, and then the finalizer of SplitMix64 for each number.
        var hash = app.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
        var numbers: [Int] = []
        while numbers.count < perApp {
            hash = hash &+ 0x9e37_79b9_7f4a_7c15
            var mixed = (hash ^ hash >> 30) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
            let number = (isHeld ? 0 : half) + Int((mixed ^ mixed >> 31) % UInt64(half))
            if !numbers.contains(number) { numbers.append(number) }
        }
        return numbers
    }
}
