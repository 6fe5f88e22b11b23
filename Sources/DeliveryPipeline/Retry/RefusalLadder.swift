/// How long a message waits that the broker would not take, or an event whose tokens could not be marked, by how often that
/// has happened: longer each time, so that a queue that is full for a day does not cost a copy a second.
enum RefusalLadder {
    /// There is a delay queue for each.
    private static let seconds = [1, 5, 30, 120, 900, 3600]

    /// Nothing is offered again that would keep a job open for longer, in seconds since it came: the broker waits half an
    /// hour for its acknowledgement (RabbitMQ's `consumer_timeout`).
    static let longestForJobs: Int64 = 1_500

    /// While the database is away an event comes back within two minutes: no consumer gets a copy for that, and outcomes
    /// are not to be late by far more than it was away.
    private static let longestForDatabase = 120

    /// - Parameters:
    ///   - failures: from 1.
    ///   - isForDatabase: its tokens could not be marked.
    static func seconds(afterFailures failures: Int, isForDatabase: Bool = false) -> Int {
        let wait = seconds[min(max(failures, 1), seconds.count) - 1]
        return isForDatabase ? min(wait, longestForDatabase) : wait
    }
}
