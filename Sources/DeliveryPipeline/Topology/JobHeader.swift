/// The headers of jobs that Martlet publishes.
public enum JobHeader {
    /// The number of the next attempt, from 1.
    public static let attempt = "x-martlet-attempt"
    /// The time of the first attempt, in milliseconds since 1970.
    public static let firstAttempt = "x-martlet-first-attempt-at"
    /// The time at which the job was first published, or first received if that is unknown, in milliseconds since 1970.
    /// It is used for metrics only, because publishers can set it, too.
    public static let since = "x-martlet-since"
    /// Whether the pushes may have been sent before.
    public static let redelivered = "x-martlet-redelivered"
    /// Whether this message was delivered before it was moved. The worker that claimed it may be gone.
    public static let deliveredBefore = "x-martlet-delivered-before"
    /// The validated user who first published the job. Only trusted from workers.
    public static let publisher = "x-martlet-publisher"
    /// The name of a part: a chunk, or the recipients that were left for another attempt. Two messages with the same
    /// name are duplicates.
    public static let part = "x-martlet-part"
    /// Whether the part is a chunk of a split job.
    public static let chunk = "x-martlet-chunk"
    /// The number of recipients in each chunk of a job that was given a name to be split under.
    public static let chunkSize = "x-martlet-chunk-size"
    /// The time slot of a job that waits for a rate limit, in milliseconds since 1970, and the rate it was computed
    /// from. Only trusted from workers.
    static let slot = "x-martlet-slot"
    static let slotRate = "x-martlet-slot-rate"
    /// The time for which the job has waited for rate limits, in seconds. Only trusted from workers.
    static let paced = "x-martlet-paced"
    static let turn = [slot, slotRate, paced]
    /// The owner of a claim request that was not answered. Its claim passes to this message.
    public static let claim = "x-martlet-claim"
    /// The lane of a suspect.
    public static let lane = "x-martlet-lane"
    /// The reason why a job is in the dead-letter queue.
    public static let reason = "x-martlet-reason"
    /// The routing key of a held event. Only trusted from workers.
    static let event = "x-martlet-event"
    /// Whether the tokens of a held event must be marked dead before it is published. Only trusted from workers.
    static let marks = "x-martlet-marks"
    /// The trace context of the job (W3C Trace Context).
    public static let traceparent = "traceparent"
    public static let tracestate = "tracestate"
}
