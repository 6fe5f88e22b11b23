import Contract

/// The choice of waiting queues for an app. A value type without clock or I/O.
///
/// Each app may use a few of a lane's waiting queues. A worker takes the first of them in which it knows no jobs of other
/// apps. Two apps that wait at the same time therefore rarely share a queue, although workers do not agree on the choice
/// (Nygren and others, "The Akamai Network", and AWS, "Workload isolation using shuffle-sharding").
enum WaitingQueueChoice {
    /// The number of waiting queues that an app may use.
    static let perApp = 3

    /// Returns different numbers of waiting queues that depend only on the app's name.
    static func numbers(of app: String) -> [Int] {
        // FNV-1a, and then the finalizer of SplitMix64 for each number.
        var hash = app.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
        var numbers: [Int] = []
        while numbers.count < perApp {
            hash = hash &+ 0x9e37_79b9_7f4a_7c15
            var mixed = (hash ^ hash >> 30) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
            let number = Int((mixed ^ mixed >> 31) % UInt64(JobQueue.waitingQueues))
            if !numbers.contains(number) { numbers.append(number) }
        }
        return numbers
    }
}
