/// What may change while a worker runs.
public struct PipelineLimits: Sendable {
    /// Recipients decoded and not yet settled. Jobs beyond wait undecoded.
    public var maximumInFlight = 20_000
    /// What one app alone may hold of `maximumInFlight`, in percent; several busy ones hold less each.
    public var appShare = 80
    /// What is kept free of `maximumInFlight` for the urgent lane, in percent.
    public var urgentShare = 10
    /// How long a job waits here while others have all the room, in seconds: less than the broker waits for its acknowledgement.
    public var longestWait = 1_500
    /// A job with more recipients is split into chunks of as many, unless it is sent at most once:
    /// ``PipelineConfiguration/onceChunkSize``.
    public var chunkSize = 500
    /// How long the id of a job is remembered, in seconds, so that the same job published twice is sent once; 0: not.
    public var deduplicationWindow = 0
    /// How long the id of an `at_most_once` job is remembered, in seconds: what comes again later is sent again.
    public var atMostOnceWindow = 7 * 86_400
    public var maximumJobBytes = 134_217_728
    public var maximumRecipients = 1_000_000
    /// Of a push, before it is given up.
    public var maximumAttempts = RetryPolicy().maximumAttempts
    /// How long after its first attempt a push is still tried, in seconds.
    public var maximumAge = RetryPolicy().maximumAge

    /// Which jobs get a line in the log when they are done.
    public var jobLog = JobLog.none

    public init() {}
}
