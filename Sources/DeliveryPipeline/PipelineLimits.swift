/// The limits that may change while a worker runs.
package struct PipelineLimits: Sendable {
    /// The limit on recipients in flight, that is, started and not yet settled. While it is reached, further jobs wait.
    package var maximumInFlight = 20_000
    /// The share of `maximumInFlight` that a single busy app may use, in percent. If several apps are busy, each gets a
    /// smaller share.
    package var appShare = 80
    /// The share of `maximumInFlight` that is kept free for the urgent lane, in percent.
    package var urgentShare = 10
    /// The maximum time that a job waits in a worker for capacity, in seconds. It must be less than the time that the
    /// broker waits for an acknowledgement.
    package var longestWait = 1_500
    /// The maximum number of recipients in a chunk. Larger jobs are split. An `at_most_once` job is split into chunks
    /// of ``PipelineConfiguration/onceChunkSize`` instead.
    package var chunkSize = 500
    /// The time for which the id of a job is remembered to detect duplicates, in seconds. 0 disables de-duplication.
    package var deduplicationWindow = 0
    /// The time for which the id of an `at_most_once` job is remembered, in seconds. A duplicate that arrives later is
    /// sent.
    package var atMostOnceWindow = 7 * 86_400
    package var maximumJobBytes = 134_217_728
    package var maximumRecipients = 1_000_000
    /// The maximum number of attempts for a push.
    package var maximumAttempts = RetryPolicy().maximumAttempts
    /// The time after the first attempt during which a push is retried, in seconds.
    package var maximumAge = RetryPolicy().maximumAge

    /// The rule that selects the finished jobs to log.
    package var jobLog = JobLog.none

    package init() {}
}
