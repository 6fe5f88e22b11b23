import PushModel

/// A delivery that is being dealt with, and what is known of it: an entry of the ledger, opened once. Only touched on
/// the pipeline's queue.
package class OpenJob {
    var inbound: InboundJob
    /// Whether the connection of the delivery is lost, so that the broker redelivers the message.
    var isOrphan = false
    /// The identity of the message, set once a connection is lost.
    var identity: MessageIdentity?
    /// Whether splitting stopped early. The job's settlements may then complete although chunks are missing.
    var isIncomplete = false
    /// Its place in the ledger, once it has one.
    var entry = -1
    /// Its name is claimed, by this delivery or by another: put back, it comes under one that nobody has claimed.
    var hasClaim = false
    /// The broker never takes what is made of it, so it goes where the broker itself puts dead letters.
    var isUntakeable = false
    /// What it takes of its app's and its queue's measure.
    var load: Scheduler.Load?
    /// It was handed to an output.
    var isSent = false
    /// For the log.
    var tally = JobTally()

    /// nil: it is not traced.
    var trace: JobTrace?

    init(_ inbound: InboundJob) {
        self.inbound = inbound
    }

    /// From when on its outcome can be expected.
    var due: Timestamp { inbound.since }

    /// What becomes of it carries them.
    var traceHeaders: TraceHeaders? { trace?.headers ?? inbound.trace }

    /// Delivered again, it would be taken for its own copy.
    var isOnce: Bool { false }
}
