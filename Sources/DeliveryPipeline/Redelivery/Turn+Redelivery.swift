import AMQPClient
import Contract

/// The handling of redeliveries after a lost connection.
extension Turn {
    /// Handles the loss of the connection that consumes these queues. All jobs with an unsettled delivery from the
    /// queues become orphans, because the broker redelivers them.
    mutating func loseConnection(of queues: [JobQueue]) {
        for job in outbox.ledger.openDeliveries where !job.isOrphan && queues.contains(job.inbound.source) {
            orphans.add(job, now: now)
        }
    }

    /// Matches a delivery with the orphan to which it belongs. An orphan that is being processed continues with the new
    /// delivery. If the orphan has ended, the delivery is acknowledged.
    ///
    /// - Returns: `false` if the delivery belongs to no orphan and must be handled like any other.
    mutating func takeUp(_ inbound: InboundJob, _ names: PipelineNames) -> Bool {
        switch orphans.match(inbound, names, now: now) {
        case .atWork(let job):
            (job.inbound.tag, job.inbound.deliveredAt) = (inbound.tag, inbound.deliveredAt)
            job.inbound.earlierDeliveries = inbound.earlierDeliveries
            // The byte budget already holds the same bytes for the lost delivery.
            lost(inbound)
        case .ended:
            let job = open(inbound)
            met(outbox.ledger.rest(of: job.entry))
        case nil: return false
        }
        counts.jobsResumed += 1
        return true
    }
}
