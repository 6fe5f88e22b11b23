/// The back-off for messages that the broker refused, and for result events whose tokens could not be marked. The delay
/// grows with each failure. Otherwise, while one queue stays full, other queues of the same exchange would receive a
/// copy of each message every second.
enum RefusalBackoff {
    /// The delays, in seconds. A delay queue exists for each of them.
    private static let seconds = [1, 5, 30, 120, 900, 3600]

    /// The maximum age of a job whose messages are still published again, in seconds. A later attempt could exceed the
    /// broker's acknowledgement timeout of 30 minutes (RabbitMQ's `consumer_timeout`).
    static let longestForJobs: Int64 = 1_500

    /// The maximum delay of a result event whose tokens could not be marked, in seconds. It is short, so that outcomes
    /// are published soon after an outage ends. These retries produce no copies for consumers.
    private static let longestForDatabase = 120

    /// Returns the delay after a number of failures, in seconds.
    ///
    /// - Parameters:
    ///   - failures: the number of failures, starting at 1.
    ///   - isForDatabase: whether the delay is for a result event whose tokens could not be marked.
    static func seconds(afterFailures failures: Int, isForDatabase: Bool = false) -> Int {
        let wait = seconds[min(max(failures, 1), seconds.count) - 1]
        return isForDatabase ? min(wait, longestForDatabase) : wait
    }
}
