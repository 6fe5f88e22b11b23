import PushModel

/// A job that this worker is processing, with an entry in the pending settlements. Only the pipeline's queue uses this
/// object.
package class OpenJob {
    var inbound: InboundJob
    /// Whether the connection of the delivery is lost, so that the broker redelivers the message.
    var isOrphan = false
    /// The identity of the message, or `nil` until the connection of the delivery is lost.
    var identity: MessageIdentity?
    /// Whether splitting stopped early. All settlements of the job may then be complete although chunks are missing.
    var isIncomplete = false
    /// The job's entry in the pending settlements, or -1 before it has one.
    var entry = -1
    /// Whether the job's name may be claimed, by this delivery or another one. The job then gets a new name when it is
    /// published again.
    var hasClaim = false
    /// Whether the job must be rejected instead of acknowledged, so that the broker dead-letters it. This is necessary
    /// if the broker never accepts the messages that result from the job.
    var isUntakeable = false
    /// The capacity that the job takes in its app and its queue, or `nil` if it takes none.
    var load: Scheduler.Load?
    /// Whether the job was passed to an output.
    var isSent = false
    /// The numbers of the job's outcomes, for its log line.
    var tally = JobTally()

    /// The trace, or `nil` if the job is not traced.
    var trace: JobTrace?

    init(_ inbound: InboundJob) {
        self.inbound = inbound
    }

    /// The earliest time at which the job could be sent: its publication or, if that is later, its `send_at`.
    var due: Timestamp { inbound.since }

    /// The trace headers of messages that result from this job, or `nil` if it belongs to no trace.
    var traceHeaders: TraceHeaders? { trace?.headers ?? inbound.trace }

    /// Whether a redelivery of the job would end as `unknown`, because the job's own claim may exist.
    var isOnce: Bool { false }
}
