/// Headers Martlet puts on the jobs it publishes itself.
public enum JobHeader {
    /// Number of the attempt that comes next, from 1.
    public static let attempt = "x-martlet-attempt"
    /// When the first attempt was, in milliseconds since 1970.
    public static let firstAttempt = "x-martlet-first-attempt-at"
    /// When the job was first published, or first received where nobody knows, in milliseconds since 1970. For metrics
    /// only: a publisher may write what it likes.
    public static let since = "x-martlet-since"
    /// The pushes may have been sent before.
    public static let redelivered = "x-martlet-redelivered"
    /// This message was delivered before it was moved: whoever had claimed it may be gone.
    public static let deliveredBefore = "x-martlet-delivered-before"
    /// The validated user who first published the job; believed only from a worker.
    public static let publisher = "x-martlet-publisher"
    /// Names a chunk, or what was left of a job for another attempt: the same name twice is the same message twice.
    public static let part = "x-martlet-part"
    /// The part is one of the chunks that a job was split into.
    public static let chunk = "x-martlet-chunk"
    /// Set on a job that has got its name to be split under: how many recipients each chunk is to have.
    public static let chunkSize = "x-martlet-chunk-size"
    /// When the turn of a job is that waits for its app's rate or its own, in milliseconds since 1970, and that rate; believed
    /// only from a worker.
    static let slot = "x-martlet-slot"
    static let slotRate = "x-martlet-slot-rate"
    /// For how many seconds it has waited for them; believed only from a worker.
    static let paced = "x-martlet-paced"
    static let turn = [slot, slotRate, paced]
    /// Who has asked to claim this job and has not got an answer: its claim passes to this message.
    public static let claim = "x-martlet-claim"
    /// The lane of a job among the suspects.
    public static let lane = "x-martlet-lane"
    /// Why a job is in the dead-letter queue.
    public static let reason = "x-martlet-reason"
    /// The routing key of an event that waits to be told; believed only from a worker.
    static let event = "x-martlet-event"
    /// Before it is told its tokens are to be marked dead; believed only from a worker.
    static let marks = "x-martlet-marks"
    /// W3C Trace Context.
    public static let traceparent = "traceparent"
    public static let tracestate = "tracestate"
}
