/// How long a message waits that the broker would not take, or an event whose tokens could not be marked, by how often that
/// has happened: longer each time, so that a queue that is full for a day does not cost a copy a second.
enum RefusalLadder {
    /// There is a delay queue for each.
    private static let seconds = [1, 5, 30, 120, 900, 3600]

    /// - Parameter failures: from 1.
    static func seconds(afterFailures failures: Int) -> Int { seconds[min(max(failures, 1), seconds.count) - 1] }
}
