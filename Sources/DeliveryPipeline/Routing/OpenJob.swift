import PushModel

/// A delivery that this worker is processing: an entry of the pending settlements. Used only on the pipeline's queue.
package class OpenJob {
    var inbound: InboundJob
    /// Whether the connection of the delivery is lost, so that the broker redelivers the message.
    var isOrphan = false
    /// The identity of the message, set once a connection is lost.
    var identity: MessageIdentity?
    /// Whether splitting stopped early. The job's settlements may then complete although chunks are missing.
    var isIncomplete = false
    /// The job's entry in the pending settlements, or -1 before it has one.
    var entry = -1
    /// Whether the job's name is claimed, by this delivery or another. A job that is requeued then gets a new name.
    var hasClaim = false
    /// Whether the broker never accepts the messages made of this job. The job is then dead-lettered by the broker
    /// itself.
    var isUntakeable = false
    /// The capacity that the job takes of its app and its queue.
    var load: Scheduler.Load?
    /// Whether the job was passed to an output.
    var isSent = false
    /// The counts for the log.
    var tally = JobTally()

    /// The trace, or `nil` if the job is not traced.
    var trace: JobTrace?

    init(_ inbound: InboundJob) {
        self.inbound = inbound
    }

    /// The time from which the job's outcome can be expected.
    var due: Timestamp { inbound.since }

    /// The trace headers of messages that result from this job.
    var traceHeaders: TraceHeaders? { trace?.headers ?? inbound.trace }

    /// Whether a redelivery of the job would be treated as a duplicate of itself.
    var isOnce: Bool { false }
}
