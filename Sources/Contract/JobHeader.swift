/// The names of the headers in messages that workers publish.
package enum JobHeader {
    /// The number of the next attempt, starting at 1. In a delayed result event, the number of failed attempts.
    package static let attempt = "x-martlet-attempt"
    /// The time of the first attempt, in milliseconds since 1970. In a delayed result event, the time at which the
    /// event was first due.
    package static let firstAttempt = "x-martlet-first-attempt-at"
    /// The time at which the job was first published, in milliseconds since 1970. If that time is unknown, it is the
    /// time at which a worker first received the job. It is used for metrics only, because publishers can set it, too.
    package static let since = "x-martlet-since"
    /// Whether pushes of the job may already have been sent.
    package static let redelivered = "x-martlet-redelivered"
    /// Whether the job was delivered before it was moved. If so, the worker that claimed the job may be gone.
    package static let deliveredBefore = "x-martlet-delivered-before"
    /// The broker user that first published the job. It is trusted only in messages from workers.
    package static let publisher = "x-martlet-publisher"
    /// The name that a worker gave to the message: to a chunk, to the recipients that need another attempt, or to a
    /// complete job. Two messages with the same name are duplicates.
    package static let part = "x-martlet-part"
    /// Whether the part is a chunk of a split job.
    package static let chunk = "x-martlet-chunk"
    /// The number of recipients in each chunk of a job that is about to be split.
    package static let chunkSize = "x-martlet-chunk-size"
    /// The time since which the job has waited for the rate limit of its app, in milliseconds since 1970. It is trusted
    /// only in messages from workers.
    package static let waitingSince = "x-martlet-waiting-since"
    /// The time slot of a job that waits for a rate limit, in milliseconds since 1970. It is trusted only in messages
    /// from workers.
    package static let slot = "x-martlet-slot"
    /// The rate from which the time slot was computed, in pushes per second. It is trusted only in messages from
    /// workers.
    package static let slotRate = "x-martlet-slot-rate"
    /// The time that the job has waited in delay queues for its turn, in seconds. It is trusted only in messages from
    /// workers.
    package static let paced = "x-martlet-paced"
    /// The headers that concern the wait for a rate limit.
    package static let turn = [waitingSince, slot, slotRate, paced]
    /// The owner in an unanswered claim request for this job. If the database granted that claim, this message takes it
    /// over.
    package static let claim = "x-martlet-claim"
    /// The lane of a suspect job.
    package static let lane = "x-martlet-lane"
    /// The reason why a job or a result event is in the dead-letter queue.
    package static let reason = "x-martlet-reason"
    /// The routing key of a delayed result event. It is trusted only in messages from workers.
    package static let event = "x-martlet-event"
    /// Whether tokens must be marked dead before a delayed result event is published. It is trusted only in messages
    /// from workers.
    package static let marks = "x-martlet-marks"
    /// The trace context of the job (W3C Trace Context).
    package static let traceparent = "traceparent"
    package static let tracestate = "tracestate"
}
